"""Make the fonts of driver sheets: the parts of DejaVu Sans that names in Europe need.

    python tools/sheet_fonts.py FOLDER_WITH_DEJAVU_FONTS

Needs fonttools. The fonts are those of version 2.37, https://dejavu-fonts.github.io; their licence
lies beside the result.
"""

from __future__ import annotations

from pathlib import Path

from fontTools import subset

from fripn.bench.script import ScriptParser, run
from fripn.errors import InvalidFile

TARGET = Path(__file__).resolve().parent.parent / "src/fripn/render/sheets/fonts"

#: Latin with all its accents, Greek, Cyrillic, punctuation, currencies, arrows, boxes and ticks.
RANGES = (
    (0x20, 0x7E),
    (0xA0, 0x24F),
    (0x2B0, 0x2DD),
    (0x370, 0x3FF),
    (0x400, 0x52F),
    (0x1E00, 0x1EFF),
    (0x2010, 0x2027),
    (0x2030, 0x203A),
    (0x2070, 0x2094),
    (0x20A0, 0x20BF),
    (0x2100, 0x214F),
    (0x2190, 0x2199),
    (0x2212, 0x2212),
    (0x2260, 0x2265),
    (0x25A0, 0x25CF),
    (0x2610, 0x2612),
    (0x2713, 0x2718),
    (0xFFFD, 0xFFFD),
)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", type=Path, help="of DejaVuSans.ttf and DejaVuSans-Bold.ttf")
    folder = parser.parse_args().folder
    options = subset.Options(
        hinting=False,
        layout_features=[],
        name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14],
        notdef_outline=True,
        recalc_timestamp=False,
        drop_tables=["GPOS", "GSUB", "GDEF", "kern", "FFTM"],
    )
    for name in ("DejaVuSans", "DejaVuSans-Bold"):
        source = folder / f"{name}.ttf"
        if not source.is_file():
            raise InvalidFile(
                f"there is no font {source}",
                field="folder",
                value=str(folder),
                remedy="name the folder of the DejaVu fonts",
            )
        font = subset.load_font(str(source), options)
        chosen = subset.Subsetter(options)
        chosen.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
        chosen.subset(font)
        subset.save_font(font, str(TARGET / f"{name}.ttf"), options)


if __name__ == "__main__":
    run(main)
