"""Tables are written as the user's own are."""

import pytest

from fripn.problem.io.table_dialect import TableDialect, table_text

GERMAN = TableDialect(
    ";", ",", encoding="cp1252", newline="\r\n", titles={"demand": "Menge", "name": "Kunde"}
)


def test_numbers_have_the_decimal_mark():
    """In their shortest form."""
    assert GERMAN.number(3.5) == "3,5"
    assert GERMAN.number(12.0) == "12"
    assert TableDialect().number(0.1) == "0.1"
    assert GERMAN.number(1e300) == "1e+300"


def test_separator_line_ends_and_words():
    """Strings with the separator are quoted; integers stay as they are."""
    header = [GERMAN.title(column) for column in ("name", "demand", "depot")]
    text = table_text(header, [["A; B", 1.5, 1], ["Müller", 2.0, None]], GERMAN)
    assert text == 'Kunde;Menge;depot\r\n"A; B";1,5;1\r\nMüller;2;\r\n'
    assert table_text(["a"], [[1.0]]) == "a\n1.0\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encoding(encoding):
    """A character that the encoding lacks makes the file UTF-8, with a mark that says so."""
    dialect = TableDialect(encoding=encoding)
    assert dialect.encode("Müller").decode(encoding) == "Müller"
    expected = "utf-8-sig" if encoding == "cp1252" else encoding
    assert dialect.encode("東").decode(expected) == "東"
