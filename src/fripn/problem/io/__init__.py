"""Instances and solutions as files; the suffix is the format; see ``docs/data-format.md``."""

from fripn.problem.io.instance_csv import TableInput, TableOptions, holds_vehicles, read_tables
from fripn.problem.io.instance_files import (
    form_of,
    parse_input,
    parse_instance,
    plain_input,
    read_input,
    read_instance,
    vehicles_path,
    write_instance,
)
from fripn.problem.io.instance_json import instance_from_dict, instance_to_dict
from fripn.problem.io.matrix_table import read_matrix
from fripn.problem.io.solution_files import parse_solution, read_solution, write_solution
from fripn.problem.io.solution_json import solution_from_dict, solution_to_dict
from fripn.problem.io.suffixes import (
    INSTANCE_READ_SUFFIXES,
    INSTANCE_SUFFIXES,
    SOLUTION_READ_SUFFIXES,
    SOLUTION_WRITE_SUFFIXES,
)
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.text import MAX_BYTES

__all__ = [
    "INSTANCE_READ_SUFFIXES",
    "INSTANCE_SUFFIXES",
    "MAX_BYTES",
    "SOLUTION_READ_SUFFIXES",
    "SOLUTION_WRITE_SUFFIXES",
    "TableDialect",
    "TableInput",
    "TableOptions",
    "form_of",
    "holds_vehicles",
    "instance_from_dict",
    "instance_to_dict",
    "parse_input",
    "parse_instance",
    "parse_solution",
    "plain_input",
    "read_input",
    "read_instance",
    "read_matrix",
    "read_solution",
    "read_tables",
    "solution_from_dict",
    "solution_to_dict",
    "vehicles_path",
    "write_instance",
    "write_solution",
]
