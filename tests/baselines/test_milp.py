"""The exact model: right on tiny instances, bounds that hold, limits that are kept."""

from __future__ import annotations

import atexit
import importlib.util
import math
import queue
import threading
from functools import partial

import numpy as np
import pytest

from fripn import (
    Budget,
    Instance,
    Run,
    Solution,
    Status,
    Stop,
    VehicleType,
    evaluate,
    solve,
)
from fripn.baselines.milp import Milp, Strengthening, build_model, build_paper_model
from fripn.baselines.milp.bound import radial_bound
from fripn.baselines.watch import OverdueError, finish_or_cancel, run_watched
from fripn.cli.methods import make_method
from fripn.errors import InvalidSetting, MissingExtra, Unsupported
from fripn.problem import library
from fripn.problem.generate import paper_instance
from fripn.run import Cancelled
from helpers import brute_force_cost, square_instance, tiny_instance

#: The work is done by HiGHS: nothing of ours for a sanitizer to see.
pytestmark = pytest.mark.pure


@pytest.fixture
def square() -> Instance:
    return square_instance()


STRENGTHENINGS = {
    "plain": Strengthening.none(),
    "lifted": Strengthening(fleet=False, flow=False, fixed_arcs=False),
    "fleet": Strengthening(lifted_loads=False, flow=False),
    "flow": Strengthening(lifted_loads=False, fleet=False),
    "all": Strengthening(),
}


@pytest.mark.parametrize("seed", range(8))
def test_optimum_equals_brute_force(seed: int) -> None:
    """On tiny instances of every shape the proven optimum is the cheapest of all plans."""
    instance = tiny_instance(seed)
    result = Milp()(instance, Run())
    assert result.status is Status.OPTIMAL
    assert math.isclose(result.cost, brute_force_cost(instance), rel_tol=1e-7, abs_tol=1e-7)
    assert result.lower_bound == pytest.approx(result.cost, rel=1e-6)


@pytest.mark.parametrize("name", STRENGTHENINGS)
def test_strengthening_keeps_the_optimum(name: str) -> None:
    """Every set of inequalities gives the same optimum as brute force."""
    for seed in (1, 2):
        instance = tiny_instance(seed, num_customers=4)
        result = Milp(strengthening=STRENGTHENINGS[name])(instance, Run())
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(brute_force_cost(instance), rel=1e-7)


MODELS = {
    name: partial(build_model, strengthening=chosen) for name, chosen in STRENGTHENINGS.items()
} | {"paper": build_paper_model}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(6))
def test_valid_plan_satisfies_every_row(name: str, seed: int) -> None:
    """A plan written as values keeps all constraints and bounds, costs the same, and reads back."""
    instance = tiny_instance(seed, num_customers=6)
    plan = Milp()(instance, Run(Budget(iterations=0))).solution
    assert plan is not None
    model = MODELS[name](instance)
    values = model.values_of(plan)
    assert np.all(values >= model.variables.lower - 1e-9)
    assert np.all(values <= model.variables.upper + 1e-9)
    for rows in model.rows:
        activity = (rows.values * values[rows.columns]).sum(axis=1)
        assert np.all(activity >= rows.lower - 1e-6), rows.name
        assert np.all(activity <= rows.upper + 1e-6), rows.name
    assert model.costs @ values <= evaluate(instance, plan).cost + 1e-9
    read = evaluate(instance, model.solution_of(values))
    assert read.is_feasible
    assert read.cost == pytest.approx(model.costs @ values)


def test_customers_without_demand_are_not_left_in_a_cycle() -> None:
    """Load variables alone would let customers without demand circle far from the depot."""
    instance = Instance(
        name="idle",
        coordinates=np.array([[0, 0], [10, 0], [10, 1], [11, 0], [1, 0]], dtype=np.float64),
        demands=np.array([0.0, 0.0, 0.0, 0.0, 1.0]),
        vehicle_types=(VehicleType("van", 1.0, 1.0, 1.0),),
    )
    methods = [Milp(strengthening=chosen) for chosen in STRENGTHENINGS.values()]
    for method in [*methods, Milp(model="paper")]:
        result = method(instance, Run())
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(brute_force_cost(instance))


@pytest.mark.parametrize("index", [0, 1])
def test_bound_stays_below_proven_optimum(index: int) -> None:
    """What HiGHS proves in a short run never exceeds the known optimum of a paper instance."""
    name = f"paper:20:{index}"
    known = library.best_known(name)
    assert known is not None
    result = Milp()(library.load(name), Run(Budget(seconds=2.0)))
    assert result.lower_bound is not None
    assert 0.0 < result.lower_bound <= known.cost + 1e-4
    assert result.cost >= known.cost - 1e-4


@pytest.mark.parametrize("seed", range(14))
def test_radial_bound_is_a_bound(seed: int) -> None:
    """The bound without a solver is positive and at most the optimum, also for odd matrices."""
    instance = tiny_instance(seed)
    assert 0.0 < radial_bound(instance) <= brute_force_cost(instance) + 1e-9


def test_too_short_a_time_gives_plan_bound_and_reason() -> None:
    """A model that the solver could not even load in time is not begun."""
    result = Milp()(paper_instance(100, seed=2), Run(Budget(seconds=0.2)))
    assert result.solution is not None
    assert result.lower_bound is not None
    assert 0.0 < result.lower_bound < result.cost
    assert "too short" in result.notes[0]


def test_start_is_kept_when_nothing_better_comes() -> None:
    """Without any branching the result is at least as good as the given plan."""
    instance = paper_instance(8, seed=3)
    start = Solution.of([(int(np.argmax(instance.capacities)), [c]) for c in range(1, 9)])
    result = Milp()(instance, Run(Budget(iterations=0), start=start))
    assert result.cost <= evaluate(instance, start).cost


def test_optimal_start_is_confirmed(square: Instance) -> None:
    """Given the optimum, the model proves it and reports it once."""
    best = Milp()(square, Run()).solution
    result = Milp()(square, Run(start=best))
    assert result.status is Status.OPTIMAL
    assert result.cost == pytest.approx(1.0 * 2 + 2 * (2 + math.sqrt(2)))
    assert len(result.curve) == 1


def test_target_ends_the_run(square: Instance) -> None:
    """A target that the first plan reaches leaves nothing to prove."""
    result = Milp()(square, Run(Budget(target=1e6)))
    assert result.solution is not None


def test_model_can_be_read_in_parts(square: Instance) -> None:
    """Variables, constraints and objective are separate, and named."""
    model = build_model(square, Strengthening.none())
    assert [rows.name for rows in model.rows] == [
        "visit_once",
        "conserve_flow",
        "carry_load",
        "respect_capacity",
    ]
    assert model.variables.name(int(model.variables.arc[1, 0, 3])) == "x[1,0,3]"
    assert model.variables.name(int(model.variables.load[2])) == "y[2]"
    assert model.costs[model.variables.arc[1, 0, 3]] == pytest.approx(5.0 + 1.0)
    model = build_model(square)
    assert model.variables.name(int(model.variables.hired[1])) == "N[1]"
    assert model.variables.name(int(model.variables.served[1, 2])) == "z[1,3]"
    assert model.variables.name(int(model.variables.flow[1, 2])) == "g[1,2]"


# -- the paper's model, term by term -----------------------------------------------------------


def terms_of(model, name):
    """Rows of a family as (terms by name, lower, upper), without columns that are fixed at 0."""
    rows = next(rows for rows in model.rows if rows.name == name)
    variables = model.variables
    found = []
    for columns, values, lower, upper in zip(
        rows.columns, rows.values, rows.lower, rows.upper, strict=True
    ):
        terms = {
            variables.name(int(column)): float(value)
            for column, value in zip(columns, values, strict=True)
            if value != 0.0 and variables.upper[column] > 0.0
        }
        found.append((terms, float(lower), float(upper)))
    return found


def expected_rows(demands, capacities):
    """Equations (2) to (6), written out from the paper's text."""
    inf = math.inf
    V, N, K = range(len(demands)), range(1, len(demands)), range(len(capacities))
    x = "x[{},{},{}]".format
    u = "u[{},{}]".format
    into = {(k, j): [x(k, i, j) for i in V if i != j] for k in K for j in V}
    out_of = {(k, j): [x(k, j, i) for i in V if i != j] for k in K for j in V}
    ones = dict.fromkeys
    return {
        "visit_once": [(ones([a for k in K for a in into[k, j]], 1.0), 1.0, 1.0) for j in N],
        "balance_depot": [(ones(into[k, 0], 1.0) | ones(out_of[k, 0], -1.0), 0.0, 0.0) for k in K],
        "conserve_flow": [
            (ones(into[k, j], 1.0) | ones(out_of[k, j], -1.0), 0.0, 0.0) for k in K for j in N
        ],
        "carry_load_by_type": [
            # u_i - u_j + Q x <= Q - d_j x, with the term in x on the left.
            (
                {u(k, i): 1.0, u(k, j): -1.0, x(k, i, j): capacities[k] + demands[j]},
                -inf,
                capacities[k],
            )
            for k in K
            for i in N
            for j in N
            if i != j
        ],
        "load_by_type_at_least": [
            ({u(k, i): 1.0} | ones(into[k, i], -demands[i]), 0.0, inf) for k in K for i in N
        ],
        "load_by_type_at_most": [
            ({u(k, i): 1.0} | ones(into[k, i], -capacities[k]), -inf, 0.0) for k in K for i in N
        ],
    }


def in_order(rows):
    return sorted((sorted(terms.items()), lower, upper) for terms, lower, upper in rows)


@pytest.mark.parametrize("num_customers", [3, 5])
def test_paper_model_is_the_equations(num_customers: int) -> None:
    """Rows, columns, bounds and costs are those of (1) to (9), term by term."""
    instance = paper_instance(num_customers, seed=9, num_types=3)
    n, K = instance.num_customers, instance.num_types
    model = build_paper_model(instance)
    variables = model.variables
    # Loads are in hundredths, the unit of the demands; nothing is rounded.
    demands = np.rint(instance.demands * 100)
    assert demands == pytest.approx(instance.demands * 100)
    assert np.array_equal(model.demands, demands)
    expected = expected_rows(demands.tolist(), (instance.capacities / 0.01).tolist())
    assert [rows.name for rows in model.rows] == list(expected)
    for name, rows in expected.items():
        assert in_order(terms_of(model, name)) == in_order(rows), name
    assert model.num_rows == n + K + K * n + K * n * (n - 1) + 2 * K * n
    is_diagonal = np.zeros(variables.count, dtype=bool)
    is_diagonal[variables.arc[:, range(n + 1), range(n + 1)]] = True
    assert np.count_nonzero(~is_diagonal) == K * n * (n + 1) + K * (n + 1)
    # (7), (8), (9) and the diagonal, which the paper does not have.
    assert variables.is_integer[variables.arc].all()
    assert not variables.is_integer[variables.type_load].any()
    assert np.all(variables.upper[variables.arc] == ~is_diagonal[variables.arc])
    assert np.all(variables.upper[variables.type_load[:, 0]] == 0.0)
    assert np.all(variables.upper[variables.type_load[:, 1:]] == np.inf)
    assert np.all(variables.lower == 0.0)
    # (1)
    distances = instance.distance_matrix()
    for k, one in enumerate(instance.vehicle_types):
        for i in range(n + 1):
            for j in range(n + 1):
                cost = one.unit_cost * distances[i, j] + (one.fixed_cost if i == 0 < j else 0.0)
                found = model.costs[variables.arc[k, i, j]]
                assert found == pytest.approx(cost if i != j else 0.0)
    assert np.all(model.costs[variables.type_load] == 0.0)


def relaxed_bound(model):
    """Return the optimum without integrality, by HiGHS."""
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    rows, columns = model.sparse_rows(), model.variables
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = columns.count, model.num_rows
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.costs, columns.lower, columns.upper
    lp.row_lower_, lp.row_upper_ = rows.lower, rows.upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = columns.count, model.num_rows
    lp.a_matrix_.start_, lp.a_matrix_.index_ = rows.starts, rows.columns
    lp.a_matrix_.value_ = rows.values
    solver.passModel(lp)
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return solver.getInfo().objective_function_value


@pytest.mark.parametrize("seed", range(8))
def test_both_models_have_the_optimum_of_brute_force(seed: int) -> None:
    """On tiny instances of every shape; relaxed, the strengthened one is at least as tight."""
    instance = tiny_instance(seed, num_customers=4)
    optimum = brute_force_cost(instance)
    bounds = []
    for name, model in (
        ("paper", build_paper_model(instance)),
        ("strengthened", build_model(instance)),
    ):
        result = Milp(model=name)(instance, Run())
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(optimum, rel=1e-7)
        bounds.append(relaxed_bound(model))
    assert bounds[0] <= bounds[1] * (1 + 1e-9) <= optimum * (1 + 1e-6)


def test_paper_model_is_solved_with_and_without_a_start_plan() -> None:
    """Off, the first plan is the solver's own, and so is the bound."""
    instance = paper_instance(4, seed=2, num_types=3)
    optimum = brute_force_cost(instance)
    first = {}
    for start_plan in (True, False):
        method = Milp(model="paper", start_plan=start_plan)
        result = method(instance, Run())
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(optimum, rel=1e-7)
        assert result.proved_by == "branch and bound by highs"
        stopped = method(paper_instance(100, seed=2), Run(Budget(seconds=0.2)))
        assert stopped.lower_bound is None
        first[start_plan] = stopped.solution
    assert first[True] is not None
    assert first[False] is None
    given = Milp()(instance, Run(Budget(iterations=0))).solution
    kept = Milp(start_plan=False)(instance, Run(Budget(iterations=0), start=given))
    assert given is not None
    assert kept.cost <= evaluate(instance, given).cost


@pytest.mark.parametrize("start_plan", [True, False])
def test_a_plan_within_the_tolerance_of_the_solver_proves_nothing(start_plan: bool) -> None:
    """A vehicle that lacks half a millionth of the load: the solver takes it, `evaluate` not."""
    instance = Instance(
        name="tight",
        coordinates=np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.1], [1.0, 0.2]]),
        demands=np.array([0.0, 1.0, 2.0, 3.0]),
        vehicle_types=(VehicleType("van", 6.0 - 5e-7, 10.0, 1.0),),
    )
    result = solve(instance, Milp(model="paper", start_plan=start_plan), time_limit=10)
    optimum = solve(instance, "exact", time_limit=10)
    assert optimum.status is Status.OPTIMAL
    assert result.lower_bound <= optimum.cost + 1e-6
    if result.status is Status.OPTIMAL:
        assert result.cost == pytest.approx(optimum.cost)
    else:
        assert "breaks a limit within its tolerance" in " ".join(result.notes)


def test_paper_model_cannot_be_strengthened() -> None:
    """Two settings that contradict each other are refused."""
    with pytest.raises(InvalidSetting, match=r"no strengthening.*choose model 'strengthened'"):
        Milp(model="paper", strengthening=Strengthening.none())
    with pytest.raises(InvalidSetting, match="model is 'mtz'; choose one of paper, strengthened"):
        Milp(model="mtz")  # type: ignore[arg-type]


def test_huge_model_is_refused() -> None:
    """A model beyond memory is refused with its size."""
    with pytest.raises(Unsupported, match=r"arc variables, but more than .* heuristic method"):
        build_model(paper_instance(700, seed=1))


def test_unknown_solver_is_named() -> None:
    """A solver that does not exist is refused with the ones that do."""
    with pytest.raises(InvalidSetting, match=r"solver is 'scip'; choose one of highs, cplex"):
        Milp(solver="scip")  # type: ignore[arg-type]


def test_solver_is_an_option_of_the_command_line() -> None:
    """`--solver` reaches the method, and only this one has it."""
    assert make_method("milp", {"solver": "gurobi"}) == Milp(solver="gurobi")
    chosen = make_method("milp", {"model": "paper", "start_plan": False})
    assert chosen == Milp(model="paper", start_plan=False)
    with pytest.raises(InvalidSetting, match="--solver is not an option of method 'tabu'"):
        make_method("tabu", {"solver": "highs"})


@pytest.mark.parametrize("solver", ["cplex", "gurobi"])
def test_commercial_solvers_agree_or_say_how_to_get_them(solver: str, square: Instance) -> None:
    """With the solver installed the optimum is the same; without, the sentence names the remedy."""
    method = Milp(solver=solver, model="paper")  # type: ignore[arg-type]
    if importlib.util.find_spec({"cplex": "cplex", "gurobi": "gurobipy"}[solver]) is None:
        with pytest.raises(MissingExtra, match=rf"{solver}.*not installed; run: pip install"):
            method(square, Run())
    else:
        assert method(square, Run()).cost == pytest.approx(Milp()(square, Run()).cost)


def test_solver_that_does_not_stop_is_left_to_itself(monkeypatch):
    """Its plans so far are the answer; the thread is waited for only when the process exits."""
    released = threading.Event()
    at_exit = []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    found = queue.SimpleQueue()
    found.put(np.ones(3))
    taken = []
    with pytest.raises(OverdueError):
        run_watched(released.wait, lambda: None, found, taken.append, seconds=0.0, grace=0.05)
    assert len(taken) == 1
    assert len(at_exit) == 1
    released.set()
    at_exit[0]()


def test_cancelled_solver_is_left_to_itself(monkeypatch):
    """A solver that does not hear the cancel cannot hold up the answer."""
    released, stop, at_exit = threading.Event(), Stop(), []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    stop.set()
    aborts = []
    with pytest.raises(OverdueError):
        run_watched(
            released.wait,
            lambda: aborts.append(1),
            queue.SimpleQueue(),
            lambda found: None,
            seconds=math.inf,
            stop=stop,
            cancel_grace=0.01,
        )
    assert aborts
    released.set()
    at_exit[0]()


def test_error_of_the_listener_ends_the_solver():
    """An exception in a callback of the user stops the solver, and reaches the user."""
    ended = threading.Event()
    found = queue.SimpleQueue()
    found.put(1.0)

    def fail(_):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        run_watched(ended.wait, ended.set, found, fail, seconds=math.inf)
    assert ended.is_set()


def test_work_aside_returns_raises_or_is_left(monkeypatch):
    """What the work does reaches the caller, unless the run is cancelled first."""
    stop = Stop()
    assert finish_or_cancel(lambda: 7, None) == finish_or_cancel(lambda: 7, stop) == 7
    with pytest.raises(ZeroDivisionError):
        finish_or_cancel(lambda: 1 // 0, stop)
    released, at_exit = threading.Event(), []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    stop.set()
    with pytest.raises(Cancelled):
        finish_or_cancel(released.wait, stop)
    released.set()
    at_exit[0]()


def test_bounds_rise_to_the_optimum():
    """Better bounds are reported, and the gap of the budget ends the run."""
    instance = paper_instance(10, seed=4)
    whole = Milp()(instance, Run())
    bounds = [point.lower_bound for point in whole.bound_curve]
    assert len(bounds) > 1
    assert bounds == sorted(bounds)
    assert whole.proved_by == "branch and bound by highs"
    assert whole.gap == pytest.approx(0.0, abs=1e-6)
    near = Milp()(instance, Run(Budget(gap=30.0)))
    assert near.gap is not None
    assert near.gap <= 30.0
