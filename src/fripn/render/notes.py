"""Notes of methods and warnings about data in the language of a page.

They are English sentences wherever they are made. Here each is known by its form, so that its parts
can be put into a German one; one of an unknown form, such as that of a method of your own, stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from fripn.render.presentation import Presentation

#: English and German forms; names in braces stand for the parts that differ.
SENTENCES: Final = (
    (
        "The engine started without the policy, which has not learned {features}.",
        "Die Suche begann ohne das gelernte Verfahren; es kennt noch nicht: {features}.",
    ),
    (
        "The engine started without the policy, which needs coordinates.",
        "Die Suche begann ohne das gelernte Verfahren, das Koordinaten braucht.",
    ),
    (
        "The engine started without the policy: {reason}.",
        "Die Suche begann ohne das gelernte Verfahren: {reason}.",
    ),
    ("The search ended early: {reason}.", "Die Suche endete vorzeitig: {reason}."),
    (
        "The best plan came from the scenario {scenario}.",
        "Der beste Plan stammt aus dem Szenario {scenario}.",
    ),
    (
        "A limit ended sampling after {figure} of {total} samples.",
        "Eine Grenze beendete die Ziehung nach {figure} von {total} Stichproben.",
    ),
    (
        "{figure} s are too short for {solver} to start on this model",
        "{figure} s sind zu kurz, als dass {solver} mit diesem Modell beginnen könnte",
    ),
    ("solved with {solver}", "gelöst mit {solver}"),
    (
        "no plan was found that keeps to the number of vehicles available",
        "es wurde kein Plan gefunden, der mit den verfügbaren Fahrzeugen auskommt",
    ),
    ("No plan exists: {reason}.", "Es gibt keinen Plan: {reason}."),
    ("No plan was found: {reason}.", "Es wurde kein Plan gefunden: {reason}."),
    (
        "{proof}: {nodes}, {columns}, {cuts}, {routes} enumerated, {figure} s",
        "{proof}: {nodes}, {columns}, {cuts}, {routes} aufgezählt, {figure} s",
    ),
    (
        "{failure}; the bound proven before stands",
        "{failure}; die zuvor bewiesene Schranke gilt weiter",
    ),
    (
        "the demands are rounded to fewer steps for the bound, which may keep a gap open",
        "die Mengen sind für die Schranke gröber gerundet, weshalb ein Abstand bleiben kann",
    ),
    (
        "{stop} is at (0, 0), {length} from the middle of the stops; is its position missing?",
        "{stop} liegt bei (0, 0), {length} von der Mitte der Stopps entfernt; fehlt die Position?",
    ),
    (
        "{stop} ({where}) is {length} from the middle of the stops, half of which are within "
        "{scale}; check its position.",
        "{stop} ({where}) liegt {length} von der Mitte der Stopps entfernt, die Hälfte aller "
        "innerhalb von {scale}; bitte die Position prüfen.",
    ),
    (
        "{stop} ({where}) is {length} from the middle of the stops, half of which are within "
        "{scale}; with latitude and longitude exchanged it would be {near}; exchange them.",
        "{stop} ({where}) liegt {length} von der Mitte der Stopps entfernt, die Hälfte aller "
        "innerhalb von {scale}; mit vertauschter Breite und Länge wären es {near}; bitte beide "
        "vertauschen.",
    ),
    (
        "{stop} is at the same place as {stop2} and has the same {what}; is it one stop twice?",
        "{stop} liegt an derselben Stelle wie {stop2} und hat {what}; ist es ein Stopp, der "
        "doppelt vorkommt?",
    ),
    (
        "{stop} has demand {figure}, {times} times the median ({median}); check it.",
        "{stop} hat die Menge {figure}, das {times}-Fache des Medians ({median}); bitte prüfen.",
    ),
    ("There are {figure} more {others}.", "Es gibt {figure} weitere {others}."),
)

#: Words that stand in the parts of sentences.
WORDS: Final = {
    "vehicle types of limited number": "begrenzt verfügbare Fahrzeugtypen",
    "distances that differ by direction": "richtungsabhängige Entfernungen",
    "a distance matrix without coordinates": "eine Entfernungstabelle ohne Koordinaten",
    "time windows": "Zeitfenster",
    "several time windows per stop": "mehrere Zeitfenster je Stopp",
    "service times": "Servicezeiten",
    "travel times that differ from the distances": "eigene Fahrzeiten neben den Entfernungen",
    "vehicle types of different speeds": "unterschiedlich schnelle Fahrzeugtypen",
    "shifts": "Schichten",
    "largest durations of routes": "Höchstdauern von Touren",
    "largest distances of routes": "Höchststrecken von Touren",
    "largest numbers of stops of routes": "Höchstzahlen von Stopps je Tour",
    "costs per hour": "Kosten je Stunde",
    "customers that not every vehicle type may serve": "Kunden mit beschränktem Zugang",
    "several load dimensions": "mehrere Lademaße",
    "several depots": "mehrere Depots",
    "vehicle types that do not return to the depot": "Fahrzeugtypen ohne Rückkehr zum Depot",
    "not closed": "nicht geschlossen",
    "no plan exists": "es gibt keinen Plan",
    "proven by column generation at the root": "bewiesen durch Spaltengenerierung an der Wurzel",
    "proven by enumeration of routes": "bewiesen durch Aufzählung von Touren",
    "proven by branch, cut and price": "bewiesen durch Branch-Cut-and-Price",
    "proven by a dynamic program over sets of customers": "bewiesen durch ein dynamisches Programm "
    "über Kundenmengen",
    "proven by column generation": "bewiesen durch Spaltengenerierung",
    "HiGHS could not solve one of the linear programs": "HiGHS konnte eines der linearen Programme "
    "nicht lösen",
    "the memory ran out": "der Speicher reichte nicht aus",
    "demand": "dieselbe Menge",
    "name": "denselben Namen",
    "stops far from the others": "Stopps fern von den übrigen",
    "stops that occur twice": "doppelte Stopps",
    "unusual demands": "ungewöhnliche Mengen",
    "node": "Knoten",
    "nodes": "Knoten",
    "column": "Spalte",
    "columns": "Spalten",
    "cut": "Schnitt",
    "cuts": "Schnitte",
    "route": "Tour",
    "routes": "Touren",
}

#: Longer notes are not ours, whose names are cut.
_MAX_LENGTH = 1000

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]\d+)?")

#: What is replaced in parts, in this order.
_STOPS = (
    (r"^Customer (\d+)", r"Kunde \1"),
    (r"^customer (\d+)", r"Kunde \1"),
    (r"^The depot$", "Das Depot"),
    (r"^the depot$", "das Depot"),
    (r"^[Dd]epot (\d+)", r"Depot \1"),
    (r"(?<=[(,])( ?)id (?=[^(]*\)$)", r"\1Nr. "),
)
_SCENARIOS = (
    (r"^(['\"])without ", r"\1ohne "),
    (r"^(['\"])only ", r"\1nur "),
    (r"^(['\"])one (.*) fewer (\(\d+\))", r"\1ein \2 weniger \3"),
    (r"^(['\"])one (.*) more (\(\d+\))", r"\1ein \2 mehr \3"),
)


def note_in(note: str, show: Presentation) -> str:
    """Return a note in the language of a page; as it is, where it is not known in that language."""
    if show.language == "en" or len(note) > _MAX_LENGTH:
        return note
    for form, german in SENTENCES:
        found = _pattern(form).fullmatch(note)
        if found is not None:
            parts = found.groupdict()
            return german.format(**{name: _part(name, text, show) for name, text in parts.items()})
    return note


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """Return what matches the sentences of a form."""
    pieces = re.split(r"(\{\w+\})", form)
    pattern = "".join(
        _group(piece[1:-1]) if piece.startswith("{") else re.escape(piece) for piece in pieces
    )
    return re.compile(pattern, re.DOTALL)


def _group(name: str) -> str:
    # Names of stops before it have brackets too.
    return rf"(?P<{name}>[^()]+)" if name == "where" else f"(?P<{name}>.+?)"


def _part(name: str, text: str, show: Presentation) -> str:
    return _PARTS.get(name, _as_it_is)(text, show)


def _as_it_is(text: str, show: Presentation) -> str:
    return text


def _word(text: str, show: Presentation) -> str:
    return WORDS.get(text, text)


def _figures(text: str, show: Presentation) -> str:
    return _NUMBER.sub(lambda found: show.localised(found[0]), text)


def _count(text: str, show: Presentation) -> str:
    """Return such as ``1,234 nodes``."""
    figure, _, what = text.partition(" ")
    return f"{_figures(figure, show)} {WORDS.get(what, what)}"


def _list(text: str, show: Presentation) -> str:
    *rest, last = (WORDS.get(word, word) for word in re.split(", | and ", text))
    return f"{', '.join(rest)} und {last}" if rest else last


def _where(text: str, show: Presentation) -> str:
    text = text.replace("latitude ", "Breite ").replace("longitude ", "Länge ")
    return "; ".join(_figures(part, show) for part in text.split(", "))


def _replaced(pairs: tuple[tuple[str, str], ...]) -> Callable[[str, Presentation], str]:
    def replace(text: str, show: Presentation) -> str:
        for pattern, german in pairs:
            text = re.sub(pattern, german, text)
        return text

    return replace


#: How the parts of sentences are written in German; others stay.
_PARTS: Final[dict[str, Callable[[str, Presentation], str]]] = {
    "features": _list,
    "proof": _word,
    "failure": _word,
    "what": _word,
    "others": _word,
    "where": _where,
    "stop": _replaced(_STOPS),
    "stop2": _replaced(_STOPS),
    "scenario": _replaced(_SCENARIOS),
    **dict.fromkeys(("nodes", "columns", "cuts", "routes"), _count),
    **dict.fromkeys(("figure", "total", "length", "scale", "near", "times", "median"), _figures),
}
