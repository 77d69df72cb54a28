"""``fripn solve``: what it prints, writes and exits with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import types

import pytest

from fripn.budget import Budget
from fripn.cli import running
from fripn.cli.progress import ProgressMode, shown_mode
from fripn.fleet_comparison import compare
from fripn.incumbent import Incumbent
from fripn.parts import Parts
from fripn.problem import evaluate, library
from fripn.problem.io import read_solution
from helpers import STOPS, VEHICLES, Interrupted, NoPlan, OneByOne, one_by_one

KEYS = {
    "instance",
    "method",
    "status",
    "cost",
    "fixed_cost",
    "travel_cost",
    "seconds",
    "seed",
    "best_known",
    "gap_percent",
    "routes",
}


def test_json_is_one_object_with_the_promised_keys(fripn):
    """Programs read stdout: one object and nothing else."""
    outcome = fripn("solve", "golden-20", "--method", "savings", "--json", "--seed", 7)
    assert outcome.code == 0
    assert outcome.err == ""
    record = json.loads(outcome.out)
    assert record.keys() >= KEYS
    assert record["instance"] == "golden-20"
    assert record["seed"] == 7
    assert record["best_known"] == 4029.61
    assert record["gap_percent"] == pytest.approx(100 * (record["cost"] / 4029.61 - 1))
    assert record["cost"] == pytest.approx(record["fixed_cost"] + record["travel_cost"])
    visited = sorted(customer for route in record["routes"] for customer in route["customers"])
    assert visited == list(range(1, 101))
    for route in record["routes"]:
        assert route.keys() >= {"vehicle_type", "customers", "load", "distance", "cost"}
        assert isinstance(route["vehicle_type"], str)


def test_json_holds_names_where_the_file_has_them(fripn, tables):
    """Tables show stops by name."""
    stops, vehicles = tables
    record = json.loads(fripn("solve", stops, vehicles, "--method", "savings", "--json").out)
    names = [name for route in record["routes"] for name in route["names"]]
    assert sorted(names) == ["Ada", "Bo", "Cy"]
    assert record["best_known"] is None
    assert record["gap_percent"] is None


def test_json_can_be_read_back_as_a_plan(fripn, tmp_path):
    """The JSON on stdout is a solution file."""
    path = tmp_path / "plan.json"
    outcome = fripn("solve", "golden-03", "-m", "savings", "--json")
    path.write_text(outcome.out, encoding="utf-8")
    instance = library.load("golden-03")
    plan = read_solution(path, instance)
    assert evaluate(instance, plan).cost == pytest.approx(json.loads(outcome.out)["cost"])


def test_people_get_cost_gap_and_fleet(fripn, register):
    """The tables name what the demo promises."""
    register("fake", OneByOne)
    outcome = fripn("solve", "golden-03", "--method", "fake")
    assert outcome.code == 0
    assert "cost " in outcome.out
    assert "to the best known, 961.03 (optimal)" in outcome.out
    assert "20 × E" in outcome.out
    assert outcome.err == ""


def test_every_output_format_is_written(fripn, tmp_path, tables):
    """-o may be repeated, and --plot adds a picture."""
    stops, vehicles = tables
    files = [tmp_path / name for name in ("a.json", "a.sol", "a.csv", "a.png")]
    outputs = [word for path in files for word in ("-o", path)]
    picture = tmp_path / "b.svg"
    outcome = fripn(
        "solve", stops, "--vehicles", vehicles, "-m", "savings", *outputs, "--plot", picture
    )
    assert outcome.code == 0
    for path in [*files, picture]:
        assert path.stat().st_size > 0
        assert f"wrote {path}" in outcome.err


def test_quiet_prints_nothing(fripn, tmp_path):
    """With -q only the file is written."""
    outcome = fripn("solve", "golden-03", "-m", "savings", "-q", "-o", tmp_path / "plan.json")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_plain_progress_is_one_line_per_improvement_on_stderr(fripn, register):
    """A log file gets lines, and stdout stays JSON."""
    register("fake", OneByOne)
    outcome = fripn("solve", "golden-03", "-m", "fake", "--json", "--progress", "plain")
    assert json.loads(outcome.out)["method"] == "fake"
    assert outcome.err.startswith("0.50 s  ")
    assert outcome.err.count("\n") == 1
    assert "20 × E" in outcome.err


def test_live_progress_leaves_stdout_alone(fripn, register):
    """The live view draws on stderr."""
    register("fake", OneByOne)
    outcome = fripn("solve", "golden-03", "-m", "fake", "--json", "--progress", "live")
    assert json.loads(outcome.out)["method"] == "fake"


def test_no_plan_is_exit_code_1_with_an_object(fripn, register):
    """A program learns that there is no plan from the code and the status."""
    register("fake", NoPlan)
    outcome = fripn("solve", "golden-03", "-m", "fake", "--json")
    assert outcome.code == 1
    record = json.loads(outcome.out)
    assert record["status"] == "no_plan"
    assert record["cost"] is None
    assert record["routes"] == []
    assert outcome.err.count("\n") == 1
    assert "no plan was found for golden-03" in outcome.err


def test_more_time_is_advised_only_where_it_helps(fripn, register):
    """A method that ended by itself would end there again."""
    register("fake", NoPlan)
    assert "more time" not in fripn("solve", "golden-03", "-m", "fake", "-t", 100).err
    assert "more time" in fripn("solve", "golden-03", "-m", "fake", "-t", 1e-9).err


@pytest.mark.parametrize("wanted", [["--json"], []])
def test_output_that_is_not_unicode(tmp_path, wanted):
    """Letters that it does not have are escaped in JSON and replaced elsewhere; no plan is lost."""
    stops, vehicles = tmp_path / "stops.csv", tmp_path / "vehicles.csv"
    stops.write_text(STOPS.replace("Ada", "Žofie"), encoding="utf-8")
    vehicles.write_text(VEHICLES, encoding="utf-8")
    command = [sys.executable, "-m", "fripn", "solve", str(stops), str(vehicles), *wanted]
    done = subprocess.run(
        [*command, "-m", "savings"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    if wanted:
        names = [name for route in json.loads(done.stdout)["routes"] for name in route["names"]]
        assert "Žofie" in names
    else:
        assert b"cost" in done.stdout


def test_no_plan_writes_no_file(fripn, register, tmp_path):
    """An old file is not replaced by nothing."""
    register("fake", NoPlan)
    path = tmp_path / "plan.json"
    assert fripn("solve", "golden-03", "-m", "fake", "-o", path).code == 1
    assert not path.exists()


def test_interrupted_method_still_gives_its_best_plan(fripn, register, tmp_path):
    """After Ctrl-C the best plan is printed."""
    register("fake", Interrupted)
    path = tmp_path / "plan.json"
    outcome = fripn("solve", "golden-03", "-m", "fake", "--json", "-o", path)
    assert outcome.code == 0
    record = json.loads(outcome.out)
    assert record["status"] == "interrupted"
    assert len(record["routes"]) == 20
    assert path.exists()


def test_start_is_never_made_worse(fripn, tmp_path):
    """A good plan handed in comes back at least as good."""
    instance = library.load("golden-03")
    best = library.best_known_solution("golden-03")
    assert best is not None
    path = tmp_path / "start.json"
    from fripn.problem.io import write_solution

    write_solution(instance, best, path)
    outcome = fripn("solve", "golden-03", "-m", "savings", "--start", path, "--json")
    assert json.loads(outcome.out)["cost"] == pytest.approx(961.03, abs=0.01)


def test_same_seed_and_iterations_give_the_same_plan(fripn):
    """With an iteration budget a run can be repeated."""
    call = ("solve", "golden-03", "--iterations", 20, "--seed", 5, "--json")
    first, second = (json.loads(fripn(*call).out) for _ in range(2))
    assert first["routes"] == second["routes"]


def test_budget_flags_reach_the_method(fripn, last_run):
    """Every limit on the command line is the method's budget."""
    flags = ["-t", 3, "--iterations", 9, "--stall", 4, "--target", 1.5, "--gap", 2, "--threads", 2]
    fripn("solve", "golden-03", "-m", "fake", *flags)
    assert last_run().budget == Budget(3.0, 9, 4, 1.5, 2.0)
    assert last_run().threads == 2
    fripn("solve", "golden-03", "-m", "fake")
    assert last_run().budget.seconds == 2.0
    assert last_run().budget.stall is None
    fripn("solve", "golden-03", "-m", "fake", "--iterations", 5)
    assert last_run().budget.seconds is None
    assert last_run().threads == 1


@pytest.mark.parametrize(
    ("flags", "is_watched"),
    [
        ([], False),  # the tests' stderr is not a terminal
        (["--json"], False),
        (["-q"], False),
        (["--progress", "none"], False),
        (["--progress", "plain"], True),
        (["--progress", "plain", "--json"], True),
    ],
)
def test_no_callback_when_nobody_looks(fripn, last_run, flags, is_watched):
    """Methods evaluate every improvement for a callback, so there is none without a reason."""
    fripn("solve", "golden-03", "-m", "fake", *flags)
    assert (last_run().on_progress is not None) == is_watched


@pytest.mark.parametrize(
    ("as_json", "quiet", "shown"),
    [(False, False, "live"), (True, False, "none"), (False, True, "none")],
)
def test_a_terminal_is_used_where_something_may_be_shown(monkeypatch, as_json, quiet, shown):
    """With ``--json`` and ``-q`` a terminal stays as it is; an option shows it."""
    monkeypatch.setattr("sys.stderr", types.SimpleNamespace(isatty=lambda: True))
    assert shown_mode(ProgressMode.AUTO, as_json=as_json, quiet=quiet).value == shown
    assert shown_mode(ProgressMode.PLAIN, as_json=as_json, quiet=quiet) is ProgressMode.PLAIN


# -- a process of its own ------------------------------------------------------------------------

SLOW = textwrap.dedent(
    """
    import sys, time, types
    from fripn.features import ROUTING
    from fripn.incumbent import Incumbent
    from fripn.solve import METHODS, MethodInfo, get_method

    class Slow:
        name = "slow"
        supports = ROUTING
        ends_by_itself = True

        def __call__(self, instance, run):
            best = Incumbent(instance, run, self.name)
            best.take(get_method("savings")(instance, run).solution)
            print("working", file=sys.stderr, flush=True)
            while not run.is_cancelled:
                time.sleep(0.05)
            print("cancelled", file=sys.stderr, flush=True)
            while "stubborn" in sys.argv:
                time.sleep(0.05)
            return best.result()

    module = types.ModuleType("slow_method")
    module.Slow = Slow
    sys.modules["slow_method"] = module
    METHODS["slow"] = MethodInfo("slow_method", "Slow", "")
    from fripn.cli import main
    main(["solve", "golden-03", "-m", "slow", "--json", "--progress", "plain"])
    """
)


def _start_slow(*words: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    while "working" not in process.stderr.readline():
        assert process.poll() is None
    return process


def test_ctrl_c_prints_the_best_so_far():
    """The first signal ends the run, which is not a failure."""
    process = _start_slow()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert json.loads(out)["status"] == "interrupted"


def test_ctrl_c_twice_ends_it_at_once():
    """A method that does not end after the first one cannot hold the terminal."""
    process = _start_slow("stubborn")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert "cancelled" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGINT


def test_python_dash_m_and_nothing_heavy_is_imported():
    """Start-up stays cheap: no torch, matplotlib, vrplib or rich is imported."""
    code = (
        "import sys; from fripn.cli import main\n"
        "try: main(['solve', 'golden-20', '-m', 'savings', '--json'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stderr.split())
    assert not imported & {"torch", "matplotlib", "vrplib", "rich.console", "highspy", "scipy"}
    shown = subprocess.run(
        [sys.executable, "-m", "fripn", "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("fripn ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("form", ["--json", "--progress=none"])
def test_full_disk_gets_one_sentence_and_a_closed_pipe_none(form):
    """No traceback when the words cannot leave, neither as an object nor as tables."""
    command = [sys.executable, "-m", "fripn", "solve", "golden-20", "-m", "savings", form]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "fripn: the output cannot be written: no space left on device\n"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == ""


def test_the_bound_says_what_could_be_saved_of_the_cost(fripn, register, tables):
    """Relative to the cost, as in the report: of 34, 17 are a half."""

    class Bounded(OneByOne):
        def __call__(self, instance, run):
            """Solve."""
            best = Incumbent(instance, run, self.name)
            best.take(one_by_one(instance))
            best.raise_bound(best.cost / 2, "a guess")
            return best.result()

    register("fake", Bounded)
    outcome = fripn("solve", *tables, "-m", "fake")
    assert outcome.code == 0, outcome
    assert "(a guess): at most 50.00 % could be saved" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["golden-20"], "divides instances of 5000 customers and more, but golden-20 has 100"),
        (["golden-20", "--method", "hgs"], "--cluster needs method 'parts', not 'hgs'"),
        (["golden-20", "--decode", "greedy"], "decode"),
    ],
)
def test_a_cluster_is_for_huge_instances(arguments, message, fripn):
    """Everything else is refused before anything is started."""
    outcome = fripn("solve", *arguments, "--cluster", "auto")
    assert outcome.code == 2
    assert message in outcome.err


@pytest.mark.parametrize("cluster", ["nowhere", "head:port", "127.0.0.1:99999", ""])
@pytest.mark.parametrize("command", ["solve", "fleet"])
def test_a_wrong_cluster_is_refused_before_anything_is_solved(
    command, cluster, refused, monkeypatch
):
    """Rather than after the first plan, which may take long."""
    pytest.importorskip("ray")
    monkeypatch.setattr(Parts, "divides", lambda self, instance: True)
    monkeypatch.setattr(running, "solve", None)
    monkeypatch.setattr(compare, "solve", None)
    message = refused(command, "golden-20", "--cluster", cluster)
    assert f"--cluster is '{cluster}'; give local, auto" in message
