"""Notes of methods and warnings about data, in German."""

from __future__ import annotations

from string import Formatter

import numpy as np
import pytest

from day_instances import day_instance
from fripn import Budget, solve
from fripn.exact.method import _FAILURES, _PROOFS
from fripn.features import Feature
from fripn.fleet_comparison import compare_fleets
from fripn.problem import Instance, VehicleType, library
from fripn.problem.suspicious import suspicious
from fripn.render.notes import SENTENCES, WORDS, note_in
from fripn.render.presentation import Presentation
from fripn.render.report import report_html

GERMAN = Presentation(language="de")


def german(note: str) -> str:
    return note_in(note, GERMAN)


@pytest.fixture
def odd_instance():
    """Return stops with exchanged positions, at (0, 0), at one place, and of a large demand."""
    rng = np.random.default_rng(1)
    places = np.column_stack([11.5 + rng.random(30) / 10, 48.1 + rng.random(30) / 10])
    places[3] = places[3, ::-1]
    places[4] = 0.0
    places[7] = places[6]
    names = ["Depot", *(f"Kunde {number}" for number in range(1, 30))]
    names[7] = names[6]
    demands = np.ones(30)
    demands[0], demands[9] = 0.0, 150.0
    ids = [f"K{number}" for number in range(30)]
    fleet = [VehicleType("van", 1000.0)]
    return Instance(
        "odd", places, demands, fleet, metric="great_circle", stop_names=names, stop_ids=ids
    )


@pytest.mark.pure
def test_warnings_about_data(odd_instance):
    """Every sentence, with numbers as German writes them."""
    found = [german(one.message) for one in suspicious(odd_instance)]
    assert found[0].startswith("Kunde 4 (Kunde 4, Nr. K4) liegt bei (0, 0), 5.")
    assert found[0].endswith(" km von der Mitte der Stopps entfernt; fehlt die Position?")
    assert found[1].startswith("Kunde 3 (Kunde 3, Nr. K3) (Breite 11,")
    assert "; mit vertauschter Breite und Länge wären es " in found[1]
    assert found[2].startswith("Kunde 7 (Kunde 6, Nr. K7) liegt an derselben Stelle wie Kunde 6 (")
    assert "und hat denselben Namen" in found[2]
    assert found[3] == (
        "Kunde 9 (Kunde 9, Nr. K9) hat die Menge 150, das 150-Fache des Medians (1); bitte prüfen."
    )


@pytest.mark.pure
def test_warnings_about_stops_without_names():
    """A place on a plane, the depot, and what is not listed."""
    plain = [[-1000.5, 3], *([number, number % 7] for number in range(30))]
    instance = Instance("n", plain, [0, *[1] * 30], [VehicleType("van", 99)])
    (one,) = (german(found.message) for found in suspicious(instance))
    assert one.startswith("Das Depot (-1000,5; 3) liegt ")
    assert one.endswith("; bitte die Position prüfen.")
    assert german("There are 3 more unusual demands.") == "Es gibt 3 weitere ungewöhnliche Mengen."


def test_notes_of_methods(tmp_path):
    """As they really come out of runs."""
    day = solve(day_instance(1, 6), "hybrid", budget=Budget(iterations=5)).notes
    assert any(german(note).startswith("Die Suche begann ohne das gelernte") for note in day)
    assert all(german(note) != note for note in day)
    small = library.load("paper:20:0")
    exact = solve(small, "exact", time_limit=5).notes
    assert [german(note).split(":")[0] for note in exact] != [note.split(":")[0] for note in exact]
    assert "Knoten" in german(exact[0])
    milp = solve(small, "milp", time_limit=0.3).notes
    assert milp
    assert all(german(note) != note for note in milp)
    samples = solve(small, "policy:samples=100000", time_limit=0.1).notes
    assert german(samples[0]).startswith("Eine Grenze beendete die Ziehung nach ")


@pytest.mark.pure
@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("without van", "ohne van"),
        ("only van", "nur van"),
        ("one van fewer (2)", "ein van weniger (2)"),
        ("one van more (3)", "ein van mehr (3)"),
    ],
)
def test_scenarios(label, expected):
    """The note of `fripn fleet` when a scenario is better than the best mix."""
    note = f"The best plan came from the scenario {label!r}."
    assert german(note) == f"Der beste Plan stammt aus dem Szenario {expected!r}."


@pytest.mark.pure
def test_all_words_are_known():
    """Features, proofs and failures, as the code names them."""
    words = {feature.value for feature in Feature} | set(_FAILURES.values())
    words |= {f"proven by {proof}" for proof in _PROOFS.values()}
    assert words <= set(WORDS)


@pytest.mark.pure
def test_forms_have_the_same_parts():
    """Else a note would break a page."""
    for pair in SENTENCES:
        english, other = ({part for _, part, _, _ in Formatter().parse(form)} for form in pair)
        assert english == other


@pytest.mark.pure
def test_unknown_notes_and_english_pages_keep_the_words():
    """Those of a method of one's own, and very long ones."""
    for note in ("my own note", "There are 3 more " + "x" * 2000 + "."):
        assert german(note) == note
    assert note_in("solved with highs", Presentation()) == "solved with highs"


def test_a_german_report_has_german_notes(odd_instance):
    """And an English one the original."""
    result = solve(odd_instance, "savings")
    assert "liegt bei (0, 0)" in report_html(result, show=GERMAN)
    assert "is at (0, 0)" in report_html(result)
    assert compare_fleets(odd_instance, "savings").best.notes == result.notes
