"""Tables as a workbook (.xlsx), without any library.

References
----------
ECMA-376, Office Open XML File Formats, part 1 (SpreadsheetML).
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from fripn.problem.io.formula_cells import is_formula

#: Characters of a cell and of the name of a sheet, at most; spreadsheet programs hold no more.
_MAX_CELL, _MAX_SHEET = 32_767, 31

#: What XML 1.0 cannot hold, however escaped.
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: The oldest date of an archive: the same table gives the same bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"

#: Styles by number: plain, bold for the header, and text that is never run as a formula.
_BOLD, _QUOTED = 1, 2
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)


def xlsx_file(sheet: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as the content of a workbook.

    Text is stored as text, so that nothing in it is run as a formula.

    Parameters
    ----------
    sheet
        Name of the sheet.
    columns
        The header.
    rows
        Strings, integers and floats; None for an empty cell.
    """
    return xlsx_book({sheet: (columns, rows)})


def xlsx_book(sheets: Mapping[str, tuple[Sequence[str], Iterable[Sequence[object]]]]) -> bytes:
    """Return several tables as the content of a workbook; see `xlsx_file`.

    Parameters
    ----------
    sheets
        Header and rows of each sheet, by its name.
    """
    names = [_sheet_name(sheet) for sheet in sheets]
    files = [f"worksheets/sheet{number}.xml" for number in range(1, len(names) + 1)]
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(names, start=1)
    )
    types = "".join(
        f'<Override PartName="/xl/{file}" ContentType="{_TYPES}.worksheet+xml"/>' for file in files
    )
    contents = (_sheet(columns, rows) for columns, rows in sheets.values())
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package'
            '.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>{types}'
            f'<Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/></Types>'
        ),
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _relations(
            [*(("worksheet", file) for file in files), ("styles", "styles.xml")]
        ),
        **{f"xl/{file}": content for file, content in zip(files, contents, strict=True)},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**parts, "xl/styles.xml": ""}.items():
            entry = zipfile.ZipInfo(path, _NO_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, f"{_HEAD}{content}" if content else _STYLES)
    return buffer.getvalue()


def _sheet_name(sheet: str) -> str:
    name = re.sub(r"[\[\]:*?/\\]", " ", _NOT_IN_XML.sub("", sheet)).strip("' ")[:_MAX_SHEET]
    return escape(name) or "plan"


def _sheet(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    table = [columns, *rows]
    lines = "".join(
        f'<row r="{number}">{"".join(_cells(number, cells))}</row>'
        for number, cells in enumerate(table, start=1)
    )
    widths = "".join(
        f'<col min="{place}" max="{place}" width="{_width(table, place - 1)}" customWidth="1"/>'
        for place in range(1, len(columns) + 1)
    )
    return (
        f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>'
        f"</sheetViews><cols>{widths}</cols><sheetData>{lines}</sheetData></worksheet>"
    )


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{what}" Target="{target}"/>'
        for number, (what, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _cells(number: int, cells: Sequence[object]) -> Iterable[str]:
    for place, cell in enumerate(cells):
        where = f"{_letters(place)}{number}"
        if isinstance(cell, (int, float)) and math.isfinite(cell):
            yield f'<c r="{where}"><v>{cell!r}</v></c>'
        elif cell is not None and cell != "":
            text = _NOT_IN_XML.sub("\ufffd", str(cell))[:_MAX_CELL]
            style = _BOLD if number == 1 else _QUOTED if is_formula(text) else 0
            mark = f' s="{style}"' if style else ""
            yield (
                f'<c r="{where}"{mark} t="inlineStr"><is><t xml:space="preserve">'
                f"{escape(text)}</t></is></c>"
            )


def _letters(place: int) -> str:
    """Return the letters of a column: A to Z, then AA."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _width(table: Sequence[Sequence[object]], place: int) -> int:
    """Return the width of a column in characters: that of its first rows, within reason."""
    longest = max((len(str(row[place])) for row in table[:200] if place < len(row)), default=0)
    return min(max(longest + 2, 8), 50)
