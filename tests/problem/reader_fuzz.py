"""Mutated files for every reader, numbered: the same number is always the same input.

The tests run some thousands. For a long run, from the folder of the repository::

    PYTHONPATH=tests python tests/problem/reader_fuzz.py --inputs 1000000

which prints, per reader, how many inputs were accepted and refused, the slowest one and the largest
ratio of memory to size; it ends with exit code 1 at the first input that fails a check, takes too
long or takes too much memory, and names it, so that its number can be kept in `test_io_fuzz.py`.
Time is processor time, which other programs on the machine do not change. Memory is measured for
every 20th input and for every large one: measuring it makes reading several times slower.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import pickle
import random
import sys
import time
import tracemalloc
import warnings
import zipfile
from datetime import UTC, datetime
from functools import cache

import xlsxwriter

from benchmark_texts import CORDEAU, SOLOMON, WINDOWS
from day_instances import day_instance, random_plan
from fripn.errors import InvalidInput, Unsupported
from fripn.problem import Instance, Solution, evaluate, library
from fripn.problem.io import (
    instance_to_dict,
    parse_instance,
    parse_solution,
    read_matrix,
    solution_to_dict,
)
from fripn.problem.io.instance_rows import instance_rows, instance_tables
from fripn.problem.io.json_text import dump_json
from fripn.problem.io.sol_text import sol_text
from fripn.problem.io.solution_csv import solution_table
from fripn.problem.io.table_dialect import table_text
from fripn.problem.io.vrplib_text import vrplib_text

#: What a mutation inserts: numbers at the edges, words of the formats, odd characters.
ODD = [
    "0", "-0", "-1", "1e999", "1e-320", "-1e15", "1e15", "1e16", "nan", "inf", "0x10", "1_0", "1,5",
    "1" * 40, "1" * 400, "9" * 5000, ".", "+", "e", "null", "true", "[]", "{}", '""', "[[[",
    "\ufeff", "EOF", "DEMAND_SECTION", "NODE_COORD_SECTION\n1 2 3", "CAPACITY : 5", "_SECTION", ":",
    "::", "#", "Route #1:", "Route #2: 1 2", "Route", "\x00", "\x1b[31m", "\x0c", "\u2028",
    "\u202e", "\ud800", "é", "東", "\r", "\r\n", "\n\n", "\t", " ", ",", ";", '"', "'",
    "\\", "\\u0000", "\\u001b", '"id": 1,', '"id": "x",', '"name": "x",', '"available": 0,',
    '"metric": "matrix",', '"matrix": [[0]],', '"demand": 0,', '"demand": 1e-40,', "depot", "lat",
    "lon", "route", "customer",
]  # fmt: skip


@cache
def problem() -> Instance:
    """Return the instance that plans are for; it has ids and names."""
    instance = library.load("golden-03")
    ids = ["hub", *(f"c{k}" for k in range(1, 21))]
    return instance.replace(stop_ids=ids, stop_names=[f"Stop {k % 7}" for k in range(21)])


@cache
def originals() -> dict[str, list[str]]:
    """Return valid content by reader."""
    instance = problem()
    plan = library.best_known_solution("golden-03")
    assert plan is not None
    evaluation = evaluate(instance, plan)
    limited = library.load("golden-13-HVRP-FV")
    matrix = instance.replace(metric="matrix", matrix=instance.distance_matrix())
    globe = instance.replace(metric="great_circle")
    return {
        "json": [dump_json(instance_to_dict(one)) for one in (instance, matrix, globe, limited)],
        "vrp": [vrplib_text(one) for one in (instance, matrix, limited)],
        "stops": [instance_tables(one)[0] for one in (instance, globe, library.load("golden-04"))],
        "vehicles": [instance_tables(one)[1] for one in (instance, limited)],
        "plan.json": [dump_json(solution_to_dict(instance, plan, evaluation))],
        "plan.sol": [sol_text(instance, plan, evaluation.cost)],
        "plan.csv": [solution_table(instance, plan)],
        "german": [GERMAN, GERMAN.replace(";", "\t")],
        "matrix": [_square(instance), _pairs(instance)],
        "xlsx": [_parts(_workbook(instance))],
        "zip": [_workbook(instance).decode("latin-1")],
        **day_originals(),
    }


@cache
def day_problem() -> Instance:
    """Return an instance with a working day that plans are for."""
    return day_instance(7, 8, {"windows", "services", "shifts", "loads", "depots", "access"})


def day_originals() -> dict[str, list[str]]:
    """Return valid content for the readers of a working day."""
    days = [day_problem(), *(day_instance(seed, 6) for seed in range(6))]
    plan = random_plan(day_problem(), 1)
    written = solution_to_dict(day_problem(), plan, evaluate(day_problem(), plan))
    sites = day_instance(3, 8, {"windows", "services", "max_duration", "access"})
    sites = sites.replace(time_windows=[((0, 900),), *(sites.time_windows or ())[1:]])
    depots = library.load("mdvrp-p01")
    return {
        "day.json": [dump_json(instance_to_dict(one)) for one in days],
        "day.vrp": [vrplib_text(sites), vrplib_text(depots)],
        "day.plan.json": [dump_json(written)],
        "solomon": [SOLOMON],
        "cordeau": [CORDEAU, WINDOWS],
    }


#: A table as a planner has it: title, own columns, decimal commas, currency.
GERMAN = (
    "Tour Montag;;;;;;\r\n\r\nNr;Kunde;Straße;Breite;Länge;Menge (kg);Depot\r\n"
    "0;Lager;Hafen 1;51,3652;12,4381;;ja\r\n"
    + "".join(f"{k};K {k};Weg {k};51,3{k};12,4{k};{k},5;\r\n" for k in range(1, 15))
    + "99;Groß;Ring;51,31;12,32;1.050,25;nein\r\n"
)
GERMAN_FLEET = "Typ;Nutzlast;Tagesmiete;€/km;Anzahl\r\nSprinter;1.200,5;58,00 €;0,38;\r\n"

#: Stands between the parts of a workbook that is written as one string.
_PART = "\n=====\n"


def _square(instance: Instance) -> str:
    ids = [instance.stop_id(stop) for stop in range(instance.num_nodes)]
    rows = zip(ids, instance.distance_matrix().tolist(), strict=True)
    return table_text(["", *ids], ([own, *row] for own, row in rows))


def _pairs(instance: Instance) -> str:
    matrix, ids = instance.distance_matrix().tolist(), instance.stop_ids
    assert ids is not None
    rows = [[a, b, matrix[i][j]] for i, a in enumerate(ids) for j, b in enumerate(ids) if i < j]
    return table_text(["from", "to", "km"], rows)


def _workbook(instance: Instance) -> bytes:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True}) as book:
        book.set_properties({"created": datetime(2024, 1, 1, tzinfo=UTC)})
        for name, (header, rows) in zip(("stops", "v"), instance_rows(instance), strict=True):
            sheet = book.add_worksheet(name)
            for number, row in enumerate([header, *rows]):
                sheet.write_row(number, 0, row)
    return content.getvalue()


def _parts(content: bytes) -> str:
    """Return the parts of a workbook as one string, the sheets first."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = sorted(archive.namelist(), key=lambda name: ("sheet" not in name, name))
        return _PART.join(f"{name}\n{archive.read(name).decode()}" for name in names)


def _packed(text: str) -> bytes:
    """Return a workbook made of parts; see `_parts`."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that occurs twice
        for part in text.split(_PART):
            name, _, body = part.partition("\n")
            # Names of archives end at a NUL, and have 65,535 bytes at most.
            name = name.replace("\0", "")[:1000].encode("utf-8", "replace").decode()
            archive.writestr(name or "x", body.encode("utf-8", "replace"))
    return content.getvalue()


#: What one input may take: seconds of processor time, and memory as a multiple of its size.
MAX_SECONDS = 2.0
MAX_MEMORY = 10.0

#: Memory is measured for one input in so many, and for those of at least so many characters.
MEMORY_SAMPLE = 20
LARGE = 30_000

READERS = ("json", "vrp", "stops", "vehicles", "plan.json", "plan.sol", "plan.csv")

#: Tables as planners have them.
TABLE_READERS = ("german", "matrix", "xlsx", "zip")

#: Readers of a working day; they came later, so they have no part in the inputs of the others.
DAY_READERS = ("day.json", "day.vrp", "day.plan.json", "solomon", "cordeau")
ALL_READERS = (*READERS, *DAY_READERS, *TABLE_READERS)


def mutated(reader: str, number: int) -> str:
    """Return input `number` of a reader."""
    rng = random.Random(f"{reader} {number}")
    text = rng.choice(originals()[reader])
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 1, 2, 5, 20, 200)))
        piece = text[start:end]
        match rng.randrange(9):
            case 0:
                piece = ""
            case 1:
                piece = rng.choice(ODD)
            case 2:
                piece += rng.choice(ODD)
            case 3:
                piece *= rng.choice((2, 3, 50))
            case 4:
                readers = READERS if reader in READERS else (*READERS, *DAY_READERS)
                other = rng.choice(originals()[rng.choice(readers)])
                begin = rng.randrange(len(other))
                piece = other[begin : begin + rng.choice((1, 5, 50, 500))]
            case 5:
                piece = piece[::-1]
            case 6:
                words = piece.split(" ")
                rng.shuffle(words)
                piece = " ".join(words)
            case 7 if rng.random() < 0.2:
                text, piece, start, end = text[:start], "", 0, 0
            case _:
                piece = "".join(
                    chr(rng.randrange(32, 127)) if rng.random() < 0.3 else one for one in piece
                )
        text = text[:start] + piece + text[end:]
    return text


def read(reader: str, text: str) -> Instance | Solution:
    """Pass content to its reader."""
    if reader == "day.plan.json":
        return parse_solution(text, "json", day_problem())
    if reader in ("solomon", "cordeau"):
        return parse_instance(text, "txt", vehicles=None)
    reader = reader.removeprefix("day.")
    if reader.startswith("plan."):
        return parse_solution(text, reader.removeprefix("plan."), problem())
    if reader == "stops":
        return parse_instance(text, "csv", vehicles=originals()["vehicles"][0])
    if reader == "vehicles":
        return parse_instance(originals()["stops"][0], "csv", vehicles=text)
    if reader == "german":
        encoding = ("utf-8", "cp1252", "utf-16")[len(text) % 3]
        content = text.encode(encoding, "replace")
        return parse_instance(content, "csv", vehicles=GERMAN_FLEET)
    if reader == "matrix":
        matrix = read_matrix(text, problem(), range(problem().num_nodes), "matrix")
        return problem().replace(metric="matrix", matrix=matrix)
    if reader == "xlsx":
        return parse_instance(_packed(text), "xlsx")
    if reader == "zip":
        return parse_instance(text.encode("latin-1", "replace"), "xlsx")
    return parse_instance(text, reader)


def check(reader: str, text: str) -> bool:
    """Read content, check what must hold for any content, and return whether it was accepted.

    Either a sentence of ours, short, printable, with fields that survive JSON and a pickle, or a
    value that can be evaluated, or written and read back as it is.
    """
    try:
        value = read(reader, text)
    except InvalidInput as error:
        sentence = str(error)
        assert len(sentence) < 1000, sentence
        assert sentence.isprintable(), sentence
        json.dumps(error.to_dict(), allow_nan=False)
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == sentence
        return False
    if isinstance(value, Instance):
        _check_instance(value)
    else:
        evaluate(day_problem() if reader.startswith("day.") else problem(), value)
    return True


def _check_instance(instance: Instance) -> None:
    text = dump_json(instance_to_dict(instance))
    assert parse_instance(text, "json") == instance
    assert pickle.loads(pickle.dumps(instance)).digest == instance.digest
    for write in (vrplib_text, instance_tables):
        try:
            written = write(instance)
        except Unsupported:
            continue
        if isinstance(written, str):
            again = parse_instance(written, "vrp")
        else:
            again = parse_instance(written[0], "csv", vehicles=written[1])
        assert again.demands.tolist() == instance.demands.tolist()
        assert again.num_depots == instance.num_depots


def main(words: list[str] | None = None) -> int:
    """Run many inputs and print statistics."""
    parser = argparse.ArgumentParser(description="Feed mutated files to every reader.")
    parser.add_argument("--inputs", type=int, default=10_000, help="over all readers")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("readers", nargs="*", help="all, if none is named")
    options = parser.parse_args(words)
    readers = options.readers or ALL_READERS
    per_reader = max(1, options.inputs // len(readers))
    for reader in readers:
        originals()  # written once, on nobody's account
        accepted, slowest, largest = 0, (0.0, 0), (0.0, 0)
        for number in range(options.first, options.first + per_reader):
            text = mutated(reader, number)
            try:
                seconds = reading_seconds(reader, text)
                accepted += check(reader, text)
                assert seconds <= MAX_SECONDS, f"{seconds:.1f} s"
                slowest = max(slowest, (seconds, number))
                if number % MEMORY_SAMPLE == 0 or len(text) >= LARGE:
                    ratio = memory_ratio(reader, text)
                    if ratio > MAX_MEMORY:  # once: a cache of the interpreter that grew just then
                        ratio = memory_ratio(reader, text)
                    assert ratio <= MAX_MEMORY, f"{ratio:.1f} times its size in memory"
                    largest = max(largest, (ratio, number))
            except Exception as error:
                print(f"{reader} {number}: {type(error).__name__}: {error}")
                return 1
        print(
            f"{reader:10} {per_reader} inputs, {accepted} accepted, {per_reader - accepted} "
            f"refused; slowest {slowest[0]:.3f} s (number {slowest[1]}); "
            f"largest memory {largest[0]:.1f} x (number {largest[1]})"
        )
    return 0


def reading_seconds(reader: str, text: str) -> float:
    """Return the processor time of reading; the fleet that is read may be long to write."""
    began = time.process_time()
    with contextlib.suppress(InvalidInput):
        read(reader, text)
    return time.process_time() - began


def memory_ratio(reader: str, text: str) -> float:
    """Return the peak of memory as a multiple of the size, beyond a fixed 2 MB.

    A table of many mistakes keeps some hundred of them, with their places and sentences.
    """
    tracemalloc.start()
    try:
        with contextlib.suppress(InvalidInput):
            read(reader, text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return max(0.0, peak - 2_000_000) / max(1, len(text))


if __name__ == "__main__":
    sys.exit(main())
