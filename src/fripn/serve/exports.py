"""Plans as files to download, in every format that the package writes."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from fripn.errors import InvalidFile, Unsupported
from fripn.problem import Instance, Solution
from fripn.problem.io import TableDialect, write_instance
from fripn.problem.io.solution_files import evaluate_valid
from fripn.render.presentation import Presentation
from fripn.render.result_files import write_result
from fripn.render.sheets import write_sheets
from fripn.result import Improvement, Result, Status
from fripn.serve.problems import Refusal


@dataclass(frozen=True, slots=True)
class Format:
    """A file that can be downloaded.

    Parameters
    ----------
    id
        Its name in addresses.
    title
        What the page calls it.
    extension
        Ending of the file.
    media_type
        As in HTTP.
    """

    id: str
    title: str
    extension: str
    media_type: str


FORMATS = (
    Format("xlsx", "Workbook (.xlsx)", "xlsx",
           "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    Format("csv", "Table (.csv)", "csv", "text/csv; charset=utf-8"),
    Format("html", "Report (.html)", "html", "text/html; charset=utf-8"),
    Format("sheets", "Driver sheets to print (.html)", "html", "text/html; charset=utf-8"),
    Format("pdf", "Driver sheets (.pdf)", "pdf", "application/pdf"),
    Format("sheets-zip", "Driver sheets with GPX files (.zip)", "zip", "application/zip"),
    Format("json", "Plan for programs (.json)", "json", "application/json"),
    Format("geojson", "Map (.geojson)", "geojson", "application/geo+json"),
    Format("svg", "Picture (.svg)", "svg", "image/svg+xml"),
    Format("png", "Picture (.png)", "png", "image/png"),
    Format("sol", "Solution file (.sol)", "sol", "text/plain; charset=utf-8"),
    Format("problem", "Stops and vehicles (.json)", "json", "application/json"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Export:
    """What to write.

    Parameters
    ----------
    instance, solution
        The problem and a plan that keeps its rules.
    show
        Language, currency and title.
    seconds, curve, lower_bound
        Of the run, for the report.
    """

    instance: Instance
    solution: Solution
    show: Presentation
    seconds: float = 0.0
    curve: tuple[Improvement, ...] = ()
    lower_bound: float | None = None


def format_of(name: str) -> Format:
    """Return the format of a name.

    Raises
    ------
    Refusal
        When there is none.
    """
    found = next((one for one in FORMATS if one.id == name), None)
    if found is None:
        raise Refusal(
            404,
            "there is no format {value}",
            field="format",
            value=name,
            remedy=f"choose one of {', '.join(one.id for one in FORMATS)}",
        )
    return found


def write_export(export: Export, form: Format) -> bytes:
    """Return the content of the file.

    Files are written in a folder of their own that is removed again; its name is ours.

    Raises
    ------
    InvalidInput
        When the plan breaks a rule, or the format cannot hold it.
    OSError
        When the file cannot be written, as on a full disk.
    """
    instance = export.instance
    if form.id in ("geojson", "sheets-zip") and not instance.is_geographic:
        raise Unsupported(
            "this format needs latitude and longitude, which the stops do not have",
            field="format",
            value=form.id,
            remedy="choose another format",
        )
    if form.id in ("svg", "png") and instance.coordinates is None:
        raise Unsupported(
            "a picture needs coordinates, which the stops do not have",
            field="format",
            value=form.id,
            remedy="choose another format",
        )
    with tempfile.TemporaryDirectory(prefix="fripn-export-") as folder:
        try:
            return _written(export, form, Path(folder))
        except InvalidFile as error:
            if error.field == "path":  # the folder is ours, so that no client can put it right
                raise OSError(str(error)) from None
            raise


def _written(export: Export, form: Format, folder: Path) -> bytes:
    """Return the content of a file that was written to a folder."""
    instance, solution = export.instance, export.solution
    path = folder / f"plan.{form.extension}"
    if form.id == "problem":
        write_instance(instance, path)
        return path.read_bytes()
    evaluate_valid(instance, solution, Path(path.name))
    if form.id == "sheets":
        write_sheets(instance, solution, path, export.show)
    elif form.id == "sheets-zip":
        write_sheets(instance, solution, folder / "sheets", export.show)
        return _zipped(folder / "sheets")
    else:
        result = Result.from_solution(
            instance,
            solution,
            method="fripn",
            status=Status.FEASIBLE,
            seconds=export.seconds,
            lower_bound=export.lower_bound,
            curve=export.curve,
        )
        write_result(result, path, show=export.show, dialect=_dialect(export.show))
    return path.read_bytes()


def _dialect(show: Presentation) -> TableDialect:
    """Return how spreadsheet programs expect tables: with a mark of the encoding."""
    if show.language == "de":
        return TableDialect(";", ",", encoding="utf-8-sig", newline="\r\n")
    return TableDialect(encoding="utf-8-sig", newline="\r\n")


def _zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return content.getvalue()


def file_name(title: str, form: Format) -> str:
    """Return a name for the download: letters and digits of the title, and the ending."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-")[:60] or "plan"
    part = {"sheets": "-sheets", "pdf": "-sheets", "sheets-zip": "-sheets", "problem": "-problem"}
    return f"{stem}{part.get(form.id, '')}.{form.extension}"
