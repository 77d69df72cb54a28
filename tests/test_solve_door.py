"""`fripn.solve`: instances, files and library names in, results out."""

from __future__ import annotations

import json
import signal
import threading

import pytest

import fripn
from fripn import Budget, Solution, solve
from fripn.errors import (
    InvalidInput,
    InvalidSetting,
    InvalidSolution,
    MissingExtra,
    NoPlanFound,
)
from fripn.policy import Policy
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.problem.inputs import open_instance
from fripn.problem.io import write_instance
from fripn.problem.library import best_known_of
from fripn.result import Result, Status, gap_percent, highest_equal, saving_percent
from fripn.solve import (
    METHODS,
    MethodInfo,
    default_time_limit,
    get_method,
    method_class,
    with_defaults,
)

STOPS = "id;x;y;demand;depot\n0;0;0;0;1\n1;3;4;2;\n2;6;8;2;\n"
VEHICLES = "type;capacity;fixed_cost;unit_cost\nvan;2;1;1\ntruck;4;2;1,5\n"


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "stops.csv").write_text(STOPS, encoding="utf-8")
    (tmp_path / "vehicles.csv").write_text(VEHICLES, encoding="utf-8")
    return tmp_path / "stops.csv", tmp_path / "vehicles.csv"


def test_a_pair_of_tables(tables):
    """One van for both would overload: a truck (2 + 20 × 1.5) or two vans (2 + 10 + 20) cost 32."""
    stops, vehicles = tables
    plan = fripn.solve(str(stops), "savings", vehicles=str(vehicles))
    assert plan.cost == pytest.approx(32.0)
    assert plan.fleet in ({"truck": 1}, {"van": 2})
    assert sorted(c for route in plan.routes for c in route.customers) == [1, 2]


def test_a_library_name_an_instance_and_a_file_are_the_same(tmp_path):
    """Whatever names the problem, the plan is the same."""
    instance = library.load("golden-03")
    path = tmp_path / "golden-03.json"
    write_instance(instance, path)
    costs = {fripn.solve(source, "savings").cost for source in ("golden-03", instance, path)}
    assert len(costs) == 1


def test_a_file_comes_before_a_library_name(tmp_path, monkeypatch, tables):
    """A file in the working folder is what the person means."""
    monkeypatch.chdir(tmp_path)
    write_instance(library.load("golden-04"), tmp_path / "a.json")
    (tmp_path / "a.json").rename(tmp_path / "golden-03")
    with pytest.raises(InvalidInput, match="golden-03"):
        open_instance("golden-03")  # a file without an ending: refused, not passed over


def test_best_known_needs_the_very_instance():
    """Somebody's own golden-03 is not compared with the published value."""
    instance = library.load("golden-03")
    known = best_known_of(instance)
    assert known is not None
    assert known.cost == 961.03
    assert best_known_of(instance.replace(demands=instance.demands / 2)) is None
    assert best_known_of(instance.replace(name="mine")) is None


def test_to_json_is_plain_json():
    """Every number is finite, every key is there, and the gap is to the best known."""
    plan = fripn.solve("golden-03", "savings", seed=4)
    record = json.loads(plan.to_json(best_known=961.03, indent=2))
    assert record["cost"] == plan.cost
    assert record["seed"] == 4
    assert record["gap_percent"] == pytest.approx(gap_percent(plan.cost, 961.03))
    assert [route["customers"] for route in record["routes"]] == [
        list(route.customers) for route in plan.routes
    ]


def test_plot_gives_and_writes_a_picture(tmp_path):
    """SVG text for notebooks, and a file on request."""
    plan = fripn.solve("golden-03", "savings")
    picture = plan.plot(tmp_path / "plan.svg")
    assert "<svg" in picture._repr_svg_()
    assert (tmp_path / "plan.svg").exists()


def test_a_result_without_a_plan():
    """No cost, no fleet, no routes, and nothing to draw."""
    nothing = Result.from_solution(
        library.load("golden-03"), None, method="m", status=Status.FEASIBLE, seconds=1.0
    )
    assert nothing.cost == float("inf")
    assert nothing.fleet == {}
    assert nothing.routes == ()
    assert nothing.status is Status.NO_PLAN
    assert nothing.to_dict()["cost"] is None
    with pytest.raises(NoPlanFound):
        nothing.plot()


def test_default_time_limit_is_what_the_help_says():
    """0.1 s per customer, at least 2 s, at most 60 s."""
    assert [default_time_limit(n) for n in (1, 20, 100, 600, 10_000)] == [2, 2, 10, 60, 60]


def test_limits_are_checked():
    """Contradictions and wrong numbers are named."""
    for wrong, word in (
        ({"time_limit": 1.0, "budget": fripn.Budget(iterations=1)}, "both"),
        ({"time_limit": -1.0}, "time limit"),
        ({"threads": 0}, "threads"),
        ({"seed": -1}, "seed"),
        ({"vehicles": "v.csv"}, "v.csv"),
    ):
        with pytest.raises(InvalidSetting, match=word):
            fripn.solve(library.load("golden-03"), "savings", **wrong)


def test_methods_are_found_by_name(monkeypatch):
    """Typing errors get the nearest name, missing packages the command that installs them."""
    with pytest.raises(InvalidSetting, match="did you mean 'savings'"):
        get_method("savigns")
    monkeypatch.setitem(METHODS, "far", MethodInfo("no_such_package", "Far", "", extra="bench"))
    with pytest.raises(MissingExtra, match=r"pip install 'fripn\[bench\]'"):
        method_class("far")


def test_a_gap_to_nothing():
    """A reference of zero is met or infinitely far."""
    assert gap_percent(0.0, 0.0) == 0.0
    assert gap_percent(1.0, 0.0) == float("inf")
    assert gap_percent(102.0, 100.0) == pytest.approx(2.0)


def test_savings_are_relative_to_the_cost():
    """Who pays 200 and could pay 150 at best saves a quarter at most, not a third."""
    assert saving_percent(200.0, 150.0) == 25.0
    assert saving_percent(0.0, 0.0) == 0.0


def test_equal_but_for_rounding():
    """Published values are rounded to 0.01; exact small ones are not."""
    assert 961.034 <= highest_equal(961.03) < 961.05
    assert 5.4321 <= highest_equal(5.4321) < 5.4330
    assert highest_equal(12.23) < 12.24


def test_json_has_one_shape():
    """The same keys with and without a plan, a bound and a best-known value."""
    instance = paper_instance(5, seed=1)
    nothing = Result.from_solution(
        instance, None, method="m", status=Status.INTERRUPTED, seconds=1.0
    )
    proven = fripn.solve(instance)
    keys = list(proven.to_dict(best_known=1.0))
    assert list(nothing.to_dict()) == list(nothing.to_dict(best_known=1.0)) == keys
    assert nothing.to_dict(best_known=1.0)["gap_percent"] is None
    assert nothing.status is Status.INTERRUPTED
    assert proven.to_dict()["bound_gap_percent"] == 0.0
    assert proven.to_dict()["best_known"] is None


def test_a_missing_plan_comes_with_a_remedy():
    """More time where it was too short, else another method."""
    plan = fripn.solve("golden-03", "savings")
    plan.require_plan(Budget())
    nothing = Result.from_solution(
        plan.instance, None, method="m", status=Status.FEASIBLE, seconds=1.0
    )
    with pytest.raises(NoPlanFound, match="allow more time"):
        nothing.require_plan(Budget(seconds=1.0))
    with pytest.raises(NoPlanFound, match="try another method"):
        nothing.require_plan(Budget(seconds=9.0))


def test_default_budget_ends_at_a_proven_optimum():
    """Only where it is proven, and only for the very instance of the library."""
    golden = library.load("golden-20")
    engine = get_method("hgs")
    assert with_defaults(Budget(), golden, engine).target == pytest.approx(4029.61, abs=0.011)
    assert with_defaults(Budget(), golden.replace(name="mine"), engine).target is None
    halved = golden.replace(demands=golden.demands / 2)
    assert with_defaults(Budget(), halved, engine).target is None


def test_a_known_optimum_does_not_end_a_proof():
    """A method that is there to prove goes on when its plan has the cost of a proven optimum."""
    golden = library.load("golden-03")
    for name in ("exact", "milp"):
        assert with_defaults(Budget(), golden, get_method(name)).target is None
    assert solve(golden, "exact", time_limit=60).status is Status.OPTIMAL


def test_default_budget_keeps_exact_optima_exact():
    """The optima of paper-20 have five decimals: 0.005 more is another plan."""
    target = with_defaults(Budget(), library.load("paper:20:86"), get_method("hgs")).target
    assert target is not None
    assert 14.99824 <= target < 14.9983


def test_default_budget_is_the_stated_time():
    """Nothing ends it early but a proof; methods that end by themselves need none."""
    problem = paper_instance(50, seed=1)
    for name in ("hgs", "hybrid", "alns", "policy", "milp"):
        assert with_defaults(Budget(), problem, get_method(name)) == Budget(seconds=5.0)
    for method in (Policy(samples=3), Policy(decode="greedy"), get_method("savings")):
        assert with_defaults(Budget(), problem, method) == Budget()


def test_a_target_or_a_gap_alone_gets_the_default_time():
    """Neither may ever be reached; any other limit is enough by itself."""
    problem, engine = paper_instance(50, seed=1), get_method("hgs")
    named = Budget(target=1.0, gap=2.0)
    assert with_defaults(named, problem, engine) == Budget(seconds=5.0, target=1.0, gap=2.0)
    for enough in (Budget(seconds=9.0), Budget(iterations=3), Budget(stall=3)):
        assert with_defaults(enough, library.load("golden-20"), engine) == enough


def test_default_run_takes_its_time(monkeypatch):
    """A search that no longer improves goes on: the engine hears of no stall."""
    heard = {}

    def spied(*given, **options):
        heard.update(options)
        return search(*given, **options | {"iterations": 1})

    search = fripn._core.search
    monkeypatch.setattr(fripn._core, "search", spied)
    fripn.solve(paper_instance(20, seed=1), "hgs")
    assert heard["stall"] is None
    assert 1.9 < heard["seconds"] <= 2.0


@pytest.mark.parametrize("gap", [-1.0, float("nan"), float("inf")])
def test_gap_is_a_number_of_percent(gap):
    """What no bound can reach is refused."""
    with pytest.raises(InvalidSetting, match=r"gap is .*; give a (finite )?number, 0 or more"):
        Budget(gap=gap)


def test_gap_to_a_bound_is_relative_to_the_cost():
    """As solvers of mixed-integer models define it."""
    assert saving_percent(100.0, 90.0) == pytest.approx(10.0)
    assert saving_percent(90.0, 100.0) == 0.0
    assert saving_percent(0.0, 0.0) == 0.0


def test_only_our_own_handler_of_ctrl_c_is_replaced():
    """A handler of the caller stays installed; other threads do not change handlers."""
    heard = []
    signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        fripn.solve(
            "golden-03", "savings", on_progress=lambda _: signal.raise_signal(signal.SIGINT)
        )
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert heard == [1]
    found = []
    thread = threading.Thread(target=lambda: found.append(fripn.solve("golden-03", "savings")))
    thread.start()
    thread.join()
    assert found[0].status is Status.FEASIBLE


def test_second_ctrl_c_raises():
    """For a method that does not hear the first."""

    def twice(_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fripn.solve("golden-03", "savings", on_progress=twice)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("field", ["iterations", "stall"])
@pytest.mark.parametrize("value", [-1, 2**63, 200.0, float("inf"), "3"])
def test_counts_are_whole_and_within_reach(field, value):
    """What the core cannot take is refused before it is called."""
    with pytest.raises(InvalidSetting, match=f"{field} is .*give an integer"):
        Budget(**{field: value})


@pytest.mark.parametrize(
    ("setting", "value"),
    [("seed", -1), ("seed", 2**70), ("seed", 1.5), ("threads", 0), ("threads", 100_000)],
)
def test_seed_and_threads_within_reach(setting, value):
    """One sentence for every method."""
    with pytest.raises(InvalidSetting, match=f"{setting} is .*give an integer"):
        solve("golden-03", "savings", **{setting: value})


def test_a_start_that_breaks_a_rule_is_refused():
    """By every method alike, rather than dropped without a word."""
    problem = paper_instance(6, seed=1)
    for routes in ([(0, [1, 2])], [(0, [1, 2, 3, 4, 5, 6])] * 2):
        with pytest.raises(InvalidSolution, match="the plan to start from"):
            solve(problem, "savings", start=Solution.of(routes))
