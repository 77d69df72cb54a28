"""VRPLIB files, in the dialect of PyVRP."""

import numpy as np
import pytest

from day_instances import day_instance, random_plan
from fripn.errors import InvalidInput, InvalidSolution, Unsupported
from fripn.features import Feature, features_of
from fripn.problem import Instance, Solution, VehicleType, evaluate, library
from fripn.problem.io import (
    parse_solution,
    read_instance,
    read_solution,
    write_instance,
    write_solution,
)
from fripn.problem.io.vrplib_text import vehicle_order, vrplib_text, written_windows

TEXT = """NAME : small
TYPE : HFVRP
DIMENSION : 4
VEHICLES : 3
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 3 4
3 0 8
4 6.5 0
DEMAND_SECTION
1 0
2 2
3 3
4 1
DEPOT_SECTION
1
-1
CAPACITY_SECTION
1 5
2 3
3 5
VEHICLES_FIXED_COST_SECTION
1 15
2 10
3 15
VEHICLES_UNIT_DISTANCE_COST_SECTION
1 2
2 1.5
3 2
EOF
"""


@pytest.fixture
def write(tmp_path):
    def _write(text, name="small.vrp"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return _write


def test_equal_rows_are_one_type(write):
    """In the order of first appearance; three vehicles of three customers count as no limit."""
    instance = read_instance(write(TEXT))
    assert instance.name == "small"
    assert instance.vehicle_types == (
        VehicleType("A", 5, 15, 2, 2),
        VehicleType("B", 3, 10, 1.5, 1),
    )


def test_plain_cvrp_has_an_unlimited_fleet(write):
    """One capacity for all and no number of vehicles."""
    head, _, _ = TEXT.replace("VEHICLES : 3", "CAPACITY : 5").partition("CAPACITY_SECTION")
    assert read_instance(write(head + "EOF\n")).vehicle_types == (VehicleType("A", 5),)


def test_explicit_matrices(write, tmp_path):
    """Full and lower-row matrices; both come back as they were."""
    text = TEXT.replace("EUC_2D", "EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX")
    text = text.replace(
        "DEMAND_SECTION",
        "EDGE_WEIGHT_SECTION\n0 1 2 3\n4 0 5 6\n7 8 0 9.5\n1 2 3 0\nDEMAND_SECTION",
    )
    instance = read_instance(write(text))
    assert instance.matrix[2, 3] == 9.5
    assert instance.coordinates is not None
    lower = TEXT.replace("EUC_2D", "EXPLICIT\nEDGE_WEIGHT_FORMAT : LOWER_ROW")
    lower = lower.replace("DEMAND_SECTION", "EDGE_WEIGHT_SECTION\n1\n2 3\n4 5 6\nDEMAND_SECTION")
    assert read_instance(write(lower)).matrix[3].tolist() == [4, 5, 6, 0]


def test_solution_follows_the_vehicles(write, tmp_path):
    """The k-th route is the k-th vehicle's: empty routes stay at home."""
    instance = read_instance(write(TEXT))
    path = tmp_path / "plan.sol"
    write_solution(instance, Solution.of([(1, [3]), (0, [2, 1])]), path)
    assert path.read_text().splitlines()[:3] == ["Route #1: 2 1", "Route #2:", "Route #3: 3"]
    assert path.read_text().splitlines()[3].startswith("Cost ")
    back = read_solution(path, instance)
    assert back == Solution.of([(0, [2, 1]), (1, [3])])


def test_solution_with_more_routes_than_vehicles(write):
    """It belongs to another instance."""
    instance = read_instance(write(TEXT))
    path = write("Route #1: 1\nRoute #2: 2\nRoute #3: 3\nRoute #4: 1\n", "plan.sol")
    with pytest.raises(InvalidSolution, match="4 routes, but small has 3 vehicles"):
        read_solution(path, instance)


def test_names_that_would_end_the_file_are_altered(tmp_path):
    """VRPLIB ends at EOF, wherever that stands."""
    instance = library.load("golden-03").replace(name="GEOFF_SECTION ü")
    write_instance(instance, tmp_path / "a.vrp")
    back = read_instance(tmp_path / "a.vrp")
    assert back.name == "G-F--"
    assert back.num_customers == 20


def test_endless_vehicle_lists_are_refused(tmp_path):
    """Limits in the millions would be written one row each."""
    vehicle = VehicleType("A", 5, available=1_000_000_000)
    instance = Instance("x", [[0, 0], [1, 1]], [0, 1], (vehicle,))
    with pytest.raises(Unsupported, match="1000000000 vehicles"):
        write_instance(instance, tmp_path / "a.vrp")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 3 4", "2 three 4", "line 8: NODE_COORD_SECTION has 'three'; give numbers"),
        ("2 3 4", "3 3 4", "line 8: NODE_COORD_SECTION has node 3 where node 2 belongs"),
        ("2 3 4", "2 3", "line 8: NODE_COORD_SECTION has '2 3'; write node x y in each row"),
        ("2 2\n", "2 nan\n", "DEMAND_SECTION has 'nan'"),
        ("2 2\n", "2 -2\n", "customer 1 has demand -2"),
        ("2 2\n", "2 9\n", "customer 1 has demand 9, but the largest vehicle"),
        ("2 2\n", "2 1e999\n", "line 13: DEMAND_SECTION has '1e999'; give finite numbers"),
        ("DIMENSION : 4", "DIMENSION : 5", "DIMENSION is 5, but DEMAND_SECTION has 4 rows"),
        ("EUC_2D", "GEO", "EDGE_WEIGHT_TYPE is 'GEO'; use EUC_2D or EXPLICIT"),
        ("VEHICLES : 3", "VEHICLES : 4", "has 3 rows, but there are 4 vehicles"),
        ("1 5\n2 3\n3 5\n", "1 5\n", "has 1 rows, but there are 3 vehicles"),
        ("1 5\n2 3\n3 5\n", "1 5 6\n2 3\n3 5 6\n", "line 21: CAPACITY_SECTION has '2 3'"),
        ("VEHICLES : 3", "VEHICLES : many", "VEHICLES is 'many'"),
        ("VEHICLES : 3", "VEHICLE : 3", "did you mean 'VEHICLES'"),
        ("DEPOT_SECTION\n1", "DEPOT_SECTION\n2", "depots must be the first nodes"),
        ("DEPOT_SECTION\n1", "DEPOT_SECTION\n1\n2", "depot 2 has the demand"),
        ("1 5\n2 3\n3 5\n", "1 5 1\n2 3 1\n3 5 1\n", "but the demands have 1 load dimension"),
        ("EOF", "VEHICLES_DEPOT_SECTION\n1 2\n2 1\n3 1\nEOF", "depot 2, but the depots are 1"),
        ("EOF", "VEHICLES_ALLOWED_CLIENTS_SECTION\n1 9\n2 2\n3 2\nEOF", "has the client 9"),
        ("VEHICLES : 3", "VEHICLES : 3\nVEHICLES_MAX_DURATION : long", "MAX_DURATION is 'long'"),
        ("EOF", "SERVICE_TIME_SECTION\n1 0\nEOF", "SERVICE_TIME_SECTION has 1 rows"),
        ("CAPACITY_SECTION\n1 5\n2 3\n3 5\n", "", "neither CAPACITY nor CAPACITY_SECTION"),
        ("DEMAND_SECTION\n1 0\n2 2\n3 3\n4 1\n", "", "DEMAND_SECTION is missing"),
        ("EOF", "TIME_WINDOW_SECTION\n1 0 5\nEOF", "TIME_WINDOW_SECTION has 1 rows, but there"),
        ("EOF", "BACKHAUL_SECTION\n1 0\nEOF", "BACKHAUL is not part of this problem"),
    ],
)
def test_bad_files_are_refused(write, old, new, message):
    """With the line or the section."""
    assert old in TEXT
    with pytest.raises(InvalidInput, match=message):
        read_instance(write(TEXT.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Route #1: 1 x 2\n", "line 1: 'x' is not a customer number"),
        ("Route 1 2 3\n", "line 1 is 'Route 1 2 3'; write"),
        ("Cost 5\n", "no line 'Route #1"),
        ("Route #1: -1\n", "'-1' is not a customer number"),
    ],
)
def test_bad_solutions_are_refused(write, text, message):
    """With the line."""
    with pytest.raises(InvalidInput, match=message):
        read_solution(write(text, "plan.sol"), read_instance(write(TEXT)))


def test_pyvrp_reads_what_we_write(tmp_path):
    """Same stops, same fleet, and the same cost of a plan (PyVRP scales by 1,000 and rounds)."""
    pyvrp = pytest.importorskip("pyvrp")
    instance = library.load("golden-13-HVRP-FV")
    write_instance(instance, tmp_path / "a.vrp")
    data = pyvrp.read(tmp_path / "a.vrp", round_func="exact")
    assert data.num_clients == 50
    assert [vehicle_type.num_available for vehicle_type in data.vehicle_types()] == [
        vehicle.available for vehicle in instance.vehicle_types
    ]
    native = library.load("golden-13")
    write_instance(native, tmp_path / "b.vrp")
    data = pyvrp.read(tmp_path / "b.vrp", round_func="exact")
    assert {vehicle_type.num_available for vehicle_type in data.vehicle_types()} == {50}
    solution = library.best_known_solution("golden-13")
    write_solution(native, solution, tmp_path / "b.sol")
    theirs = pyvrp.read_solution(tmp_path / "b.sol", data)
    assert theirs.is_feasible()
    cost = (theirs.distance_cost() + theirs.fixed_vehicle_cost()) / 1000
    assert cost == pytest.approx(evaluate(native, solution).cost, abs=0.05)


def with_opening(instance):
    """Return an instance whose depots have a window if its customers have any."""
    if instance.time_windows is None:
        return instance
    windows = list(instance.time_windows)
    for depot in range(instance.num_depots):
        windows[instance.depot_node(depot)] = ((0.0, 1000.0),)
    windows = [
        window if instance.is_depot(node) else tuple((o + 60, c + 60) for o, c in window)
        for node, window in enumerate(windows)
    ]
    return instance.replace(time_windows=windows)


@pytest.mark.parametrize("seed", range(40))
def test_working_day_comes_back(tmp_path, seed):
    """What the dialect can hold is the same problem again: every plan costs and breaks the same."""
    parts = {"windows", "services", "max_duration", "max_distance", "access", "loads", "depots"}
    rng = np.random.default_rng(seed)
    kept = {part for part in sorted(parts) if rng.random() < 0.6}
    instance = day_instance(seed, 6, kept | ({"matrix"} if seed % 2 else set()))
    instance = with_opening(instance)
    path = tmp_path / "day.vrp"
    write_instance(instance, path)
    again = read_instance(path)
    assert again.num_depots == instance.num_depots
    plan = random_plan(instance, seed)
    # Types that the file cannot distinguish are one type there, so plans are read from a file too.
    order = vehicle_order(instance)
    lines = [""] * len(order)
    taken: dict[int, int] = {}
    for route in plan.routes:
        place = order.index(route.vehicle_type) + taken.get(route.vehicle_type, 0)
        taken[route.vehicle_type] = taken.get(route.vehicle_type, 0) + 1
        lines[place] = " ".join(str(c + instance.num_depots - 1) for c in route.customers)
    text = "\n".join(f"Route #{k}: {line}" for k, line in enumerate(lines, start=1))
    same = parse_solution(text, "sol", instance)
    other = parse_solution(text, "sol", again)
    first, second = evaluate(instance, same), evaluate(again, other)
    assert second.cost == pytest.approx(first.cost, rel=1e-12)
    codes = sorted((v.code.value, v.route or 0, v.stop or 0) for v in first.violations)
    assert sorted((v.code.value, v.route or 0, v.stop or 0) for v in second.violations) == codes


@pytest.mark.parametrize("seed", range(6))
def test_pyvrp_reads_the_working_day(tmp_path, seed):
    """PyVRP finds the same sizes, windows, limits and depots in our file."""
    pyvrp = pytest.importorskip("pyvrp")
    parts = {"windows", "services", "max_duration", "access", "depots", "matrix"}
    instance = with_opening(day_instance(seed, 6, parts))
    path = tmp_path / "day.vrp"
    write_instance(instance, path)
    data = pyvrp.read(path, round_func="round")
    assert (data.num_clients, data.num_depots) == (6, instance.num_depots)
    windows = written_windows(instance)
    for customer, client in enumerate(data.clients(), start=1):
        assert (client.tw_early, client.tw_late) == windows[customer]
        assert client.service_duration == instance.service_times[customer]
    for vehicle in data.vehicle_types():
        number = int(vehicle.name.split(",")[0])
        mine = instance.vehicle_types[vehicle_order(instance)[number]]
        assert vehicle.start_depot == mine.depot
        assert list(vehicle.capacity) == list(mine.capacities)
        if mine.max_duration is not None:
            assert vehicle.shift_duration == mine.max_duration


PART_FEATURES = {
    "durations": Feature.DURATIONS,
    "cost_per_hour": Feature.COST_PER_HOUR,
    "max_stops": Feature.MAX_STOPS,
    "open": Feature.OPEN_ROUTES,
    "several_windows": Feature.SEVERAL_WINDOWS,
}


@pytest.mark.parametrize("part", PART_FEATURES)
def test_what_the_dialect_cannot_hold_is_refused(tmp_path, part):
    """Nothing is left out silently."""
    for seed in range(60):
        instance = day_instance(seed, 5, {part, "windows"})
        if PART_FEATURES[part] in features_of(instance):
            with pytest.raises(Unsupported, match="which VRPLIB cannot hold"):
                write_instance(with_opening(instance), tmp_path / "day.vrp")
            return
    raise AssertionError(part)


def test_times_before_zero_are_refused():
    """PyVRP does not read them."""
    windows = [((-20, 100),), ((-10, 5),)]
    instance = Instance("early", [[0, 0], [3, 4]], [0, 1], [VehicleType("van", 5)])
    with pytest.raises(Unsupported, match="early has times before 0, which VRPLIB cannot hold"):
        vrplib_text(instance.replace(time_windows=windows))
