"""The shipped instances, their best-known values, and the errors for names that do not exist."""

import pytest

from fripn.budget import Budget
from fripn.errors import InvalidSetting
from fripn.problem import evaluate, library
from fripn.problem.proofs import proofs
from fripn.result import Status
from fripn.solve import solve


@pytest.mark.parametrize("name", library.suite("golden"))
def test_shipped_plans_reach_the_best_known_cost(name):
    """`evaluate` on the shipped routes gives the published value, to its two decimals."""
    solution = library.best_known_solution(name)
    evaluation = evaluate(library.load(name), solution)
    assert evaluation.is_feasible
    assert evaluation.cost == pytest.approx(library.best_known(name).cost, abs=0.0101)


def test_every_shipped_name_loads_and_has_a_best_known_value():
    """No file is missing, none is malformed, and each has a value with a source."""
    for name in library.names():
        instance = library.load(name)
        record = library.best_known(name)
        assert instance.name == name
        assert record.cost > 0
        assert record.status in ("optimal", "best-known")
        assert record.source


def test_suites_have_the_expected_sizes():
    """Twelve golden, fifty of the X set, five each of Brandão and Li, a thousand of the paper."""
    sizes = {name: len(library.suite(name)) for name in library.suites()}
    assert sizes["golden"] == 12
    assert sizes["golden-HVRP-FV"] == 8
    assert sizes["xh"] == 50
    assert sizes["brandao"] == sizes["brandao-FSM-V"] == sizes["li"] == 5
    assert sizes["paper-75"] == 1000
    assert library.names("golden")[0] == "golden-03"
    assert library.names("paper-20")[17] == "paper:20:17"


def test_variants_change_costs_and_limits():
    """V drops the fixed costs, FV keeps them, HVRP limits the fleet."""
    native = library.load("golden-13")
    variable = library.load("golden-13-FSM-V")
    limited = library.load("golden-13-HVRP-FV")
    assert not variable.fixed_costs.any()
    assert variable.unit_costs.tolist() == limited.unit_costs.tolist() != native.unit_costs.tolist()
    assert limited.fixed_costs.tolist() == native.fixed_costs.tolist()
    assert limited.has_limited_fleet
    assert not native.has_limited_fleet
    assert library.load("brandao-N1").has_limited_fleet
    assert not library.load("brandao-N1-FSM-V").has_limited_fleet
    assert library.best_known("golden-13-FSM-V").cost == 1491.86
    assert library.best_known("brandao-N1").cost != library.best_known("brandao-N1-FSM-V").cost


def test_folder_prefix_is_accepted():
    """The X instances are also known by their folder."""
    assert library.load("xh/X101-FSMFD") == library.load("X101-FSMFD")
    assert library.resolve("xh/X101-FSMFD") == "X101-FSMFD"


def test_paper_optima_are_best_known_values():
    """Size 20 is solved to optimality, of the larger sizes only the first instances."""
    assert library.best_known("paper:20:0").cost == 112.24821
    assert library.best_known("paper:20:0").status == "optimal"
    assert library.best_known("paper:50:500") is None
    assert library.load("paper:20:17").name == "paper:20:17"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("golden-21", "golden-2"),
        ("goldn-20", "golden-20"),
        ("li/X101-FSMFD", "X101-FSMFD"),
        ("golden-03-HVRP-V", "golden-"),
        ("paper:20:1000", "0 to 999"),
        ("paper:30:1", "20, 50, 75, 100"),
        ("zzz", "the suites are golden"),
        ("", "the suites are golden"),
    ],
)
def test_unknown_name_suggests_a_valid_one(name, hint):
    """The message names what was meant."""
    with pytest.raises(InvalidSetting) as caught:
        library.load(name)
    assert hint in str(caught.value)
    assert not library.is_name(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Golden-20", "golden-20"),
        ("x101-fsmfd", "X101-FSMFD"),
        ("XH/x101-fsmfd", "X101-FSMFD"),
        ("Paper:20:17", "paper:20:17"),
    ],
)
def test_names_in_any_case(name, meant):
    """Nobody remembers which letters are large."""
    assert library.resolve(name) == meant
    assert library.load(name) == library.load(meant)


def test_unknown_suite_suggests_a_valid_one():
    """So does the message for suites."""
    with pytest.raises(InvalidSetting, match="did you mean 'paper-20'"):
        library.suite("paper-21")


def test_bounds_of_the_library_are_below_every_plan():
    """A bound above a known cost would refute one of the two."""
    assert len(proofs()) >= 100
    for name, proof in proofs().items():
        known = library.best_known(name)
        assert proof.lower_bound <= known.cost + 0.005, name
        assert proof.lower_bound <= proof.cost
        assert known.status == "optimal" or not proof.is_optimal, name
        published = library.published(name)
        if published is not None and published.status == "optimal":
            assert published.cost == pytest.approx(proof.cost, abs=0.005)


def test_proofs_name_their_command():
    """So that anybody can repeat them."""
    proof = library.proof("paper:50:0")
    assert proof.command == "fripn solve paper:50:0 -m exact --time-limit 60 --threads 2"
    assert library.best_known("paper:50:0").source == proof.command
    assert library.best_known("paper:50:0").status == "optimal"
    assert library.proof("paper:50:500") is None


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, proof in proofs().items() if proof.seconds < 2])
def test_short_proofs_can_be_repeated(name):
    """The same optimum, from the command that is on record."""
    result = solve(name, "exact", budget=Budget(seconds=600), threads=2)
    assert result.status is Status.OPTIMAL
    assert result.cost == pytest.approx(library.proof(name).cost, rel=1e-6)
