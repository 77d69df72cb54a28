"""A real Ray cluster of three nodes, all on this machine: nothing is lost, whatever dies."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from fripn.batch import LineFormat, Outcome, Record, WorkItem, run_batch, solve_many
from fripn.budget import Budget
from fripn.errors import ClusterFailed, InvalidSetting, MissingExtra
from fripn.executors import InProcess, RayCluster, ray_cluster
from fripn.parts import Parts, PartsOn, method
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance
from fripn.run import Run

pytestmark = pytest.mark.slow

RECORD = Record(LineFormat("a test", {"name": str}), key=("name",), label="name")

#: Seconds within which a cluster notices something, also on a busy machine.
PATIENCE = 120


@pytest.fixture(scope="module")
def cluster():
    """Return a cluster of three nodes with one processor each, which admits by token alone."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("the extra 'cluster' is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")  # read when the package is imported
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # this file is there
        from ray.cluster_utils import Cluster

        small = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
        made = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
        for _ in range(2):
            made.add_node(**small)
        made.wait_for_nodes(timeout=PATIENCE)
        yield made
        made.shutdown()


def describe(outcome: Outcome):
    """Say where the item ran; some take their time, and one kills its worker."""
    import ray

    name = outcome.item.fields["name"]
    node = None
    if outcome.result is not None:
        if name == "poison":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02)
        node = ray.get_runtime_context().get_node_id()
    return {**outcome.item.fields, "status": outcome.status, "error": outcome.error, "node": node}


def item(name, source):
    return WorkItem({"name": name}, source, "savings", describe, Budget())


def unreadable():
    raise OSError("the disk is gone")


def test_a_killed_node_costs_no_item(cluster, tmp_path):
    """Of 500 items, each has its line once, though a node dies when 100 are done."""
    path = tmp_path / "lines.jsonl"
    instance = paper_instance(6, 1)
    items = (item(f"{number:03}", instance) for number in range(500))
    victim = next(iter(cluster.worker_nodes))
    lines = []
    for entry in run_batch(items, RECORD, output=path, executor=RayCluster(cluster.address)):
        lines.append(entry.line)
        if len(lines) == 100:
            cluster.remove_node(victim, allow_graceful=False)
    assert sorted(line["name"] for line in lines) == [f"{number:03}" for number in range(500)]
    assert [line["error"] for line in lines] == [None] * 500
    assert [json.loads(line) for line in path.read_text().splitlines()] == lines
    nodes = [line["node"] for line in lines]
    assert victim.node_id in nodes[:100]
    assert victim.node_id not in nodes[-100:]


def test_an_item_that_kills_its_workers_fails_alone(cluster):
    """It is tried again, then it has a failed line; an unreadable file has one too."""
    items = [item(f"{number}", paper_instance(6, 1)) for number in range(20)]
    items[3:3] = [item("poison", paper_instance(6, 1)), item("missing", unreadable)]
    entries = run_batch(items, RECORD, executor=RayCluster(cluster.address, max_attempts=2))
    lines = {entry.line["name"]: entry.line for entry in entries}
    assert len(lines) == 22
    errors = {name: line["error"] for name, line in lines.items() if line["error"] is not None}
    assert errors == {
        "poison": "the process died; the instance may be too large for the memory",
        "missing": "OSError: the disk is gone",
    }


def test_plans_are_those_of_a_plain_run(cluster):
    """With a budget of iterations it does not matter where an instance is solved."""
    instances = [paper_instance(20, seed).replace(name=f"day {seed}") for seed in range(8)]
    solved = partial(solve_many, instances, "hgs", budget=Budget(iterations=100), seed=3)
    plain = {line["source"]: line for line in solved()}
    spread = {line["source"]: line for line in solved(executor=RayCluster(cluster.address))}
    assert plain.keys() == spread.keys()
    for name, line in plain.items():
        for field in ("cost", "routes", "iterations", "digest", "error"):
            assert line[field] == spread[name][field]


def start_command(cluster, folder, lines, *more):
    """Start ``fripn solve-many`` on the cluster."""
    return subprocess.Popen(
        [
            sys.executable, "-m", "fripn", "solve-many", str(folder), "-o", str(lines),
            "--time-limit", "0.1", "--method", "hgs", "--cluster", cluster.address, "--quiet",
            *more,
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_killed_command_goes_on_where_it_stopped(cluster, tmp_path):
    """What was done is kept, what was not is done, and nothing is done twice."""
    folder, lines = tmp_path / "days", tmp_path / "lines.jsonl"
    folder.mkdir()
    for number in range(60):
        write_instance(paper_instance(10, number), folder / f"{number}.json")
    process = start_command(cluster, folder, lines)
    try:
        deadline = time.monotonic() + PATIENCE
        while not lines.exists() or lines.read_bytes().count(b"\n") < 5:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.kill()
        process.communicate()
    before = lines.read_bytes()
    kept = before[: before.rfind(b"\n") + 1]
    assert 5 <= kept.count(b"\n") < 60
    process = start_command(cluster, folder, lines)
    _, message = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, message
    assert lines.read_bytes().startswith(kept)
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    assert sorted(line["source"] for line in found) == sorted(map(str, folder.iterdir()))
    assert {line["error"] for line in found} == {None}


def test_a_huge_instance_is_divided_among_the_nodes(cluster, monkeypatch):
    """Its plan is the one of the same parts on this machine."""
    monkeypatch.setattr(method, "LEAST_CUSTOMERS", 200)
    instance, run = paper_instance(300, 1), Run(Budget(iterations=60), seed=1)
    settings = Parts(part_customers=100, rounds=2)
    spread = PartsOn(RayCluster(cluster.address, max_chunk=1), settings)(instance, run)
    assert spread.solution == PartsOn(InProcess(), settings)(instance, run).solution


def linger(place):
    """Tell who is at work, then take as long as it gets."""
    Path(place).write_text(str(os.getpid()))
    time.sleep(600)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def interrupt_work(cluster, place):
    """Press Ctrl-C while a worker lingers."""
    with RayCluster(cluster.address).open(linger, str) as workers:
        workers.submit(str(place))
        deadline = time.monotonic() + PATIENCE
        while not place.exists() or not place.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert is_alive(int(place.read_text()))
        os.kill(os.getpid(), signal.SIGINT)
        workers.wait()


def test_ctrl_c_reaches_the_workers(cluster, tmp_path):
    """It ends the work at once, also that of other processes, and is raised here."""
    place = tmp_path / "pid"
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        interrupt_work(cluster, place)
    assert signal.getsignal(signal.SIGINT) is before
    deadline = time.monotonic() + PATIENCE
    while is_alive(int(place.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_silent_head_is_given_up(cluster, monkeypatch, tmp_path):
    """With a sentence, before Ray ends the program; what is running is lost."""
    monkeypatch.setattr(ray_cluster, "_SILENT_SECONDS", 3.0)
    with RayCluster(cluster.address).open(linger, str) as workers:
        workers.submit(str(tmp_path / "pid"))
        monkeypatch.setattr(ray_cluster, "_head_answers", lambda ray: False)
        with pytest.raises(ClusterFailed, match=r"head of the cluster .* does not answer any more"):
            workers.wait(PATIENCE)


def test_sigterm_is_ctrl_c_here_too(cluster, tmp_path):
    """Ray's own answer to it is a stack and an abort."""
    folder, lines = tmp_path / "days", tmp_path / "lines.jsonl"
    folder.mkdir()
    (folder / "0.json").write_text("{")  # has a line as soon as there is a connection
    write_instance(paper_instance(100, 1), folder / "1.json")
    process = start_command(cluster, folder, lines, "--time-limit", "600")
    deadline = time.monotonic() + PATIENCE
    while not lines.exists() or not lines.read_bytes().endswith(b"\n"):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.startswith("fripn: interrupted; finished instances are in")
    assert err.count("\n") == 1


def run_script(text, *arguments):
    """Run a program of its own, as Ray can be started once here."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("the extra 'cluster' is not installed")
    return subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


#: Solves instances on a local cluster, whose node dies when the first is done.
DYING = """
import os, signal, sys
from fripn.batch import RayCluster, solve_many
from fripn.problem.generate import paper_instance
days = (paper_instance(10, number).replace(name=str(number)) for number in range(1000))
executor = RayCluster("local", jobs=1)
lines = solve_many(days, "hgs", time_limit=0.1, executor=executor, output=sys.argv[1])
next(lines)
from ray._private.worker import _global_node
os.kill(_global_node.all_processes["raylet"][0].process.pid, signal.SIGKILL)
for line in lines:
    pass
"""


def test_a_node_of_the_driver_that_dies_ends_the_run(tmp_path):
    """No item is blamed for it, and what Ray says about it is not among the output."""
    path = tmp_path / "lines.jsonl"
    outcome = run_script(DYING, path)
    assert outcome.returncode == 1
    assert outcome.stderr.endswith(
        "ClusterFailed: the node of the cluster 'local' on this machine has died; run the same "
        "command again\n"
    )
    assert outcome.stdout == ""
    assert {json.loads(line)["error"] for line in path.read_text().splitlines()} == {None}


#: Receives SIGTERM while a local cluster starts, as `fripn` treats it; tells what is left.
TERMINATED = """
import os, signal
from fripn.cli.termination import sigterm_as_interrupt
from fripn.executors import RayCluster
import ray._private.services as services
start, started = services.start_raylet, []
def interrupted(*arguments, **named):
    os.kill(os.getpid(), signal.SIGTERM)
    started.append(start(*arguments, **named))
    return started[-1]
services.start_raylet = interrupted
with sigterm_as_interrupt():
    try:
        with RayCluster("local", jobs=1).connected():
            print("connected")
    except KeyboardInterrupt:
        print("interrupted")
print(started[0].process.poll() is None)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGTERM")
def test_sigterm_while_a_cluster_starts_leaves_nothing_behind():
    """It is held back like Ctrl-C until the cluster can be ended."""
    outcome = run_script(TERMINATED)
    assert outcome.stdout.split() == ["interrupted", "False"], outcome.stderr


#: Starts a local cluster, tells what protects it, and stays until its input ends.
LOCAL = """
import os, sys
from fripn.executors import RayCluster
with RayCluster("local", jobs=1).connected():
    import ray
    from ray._private.worker import _global_node
    print(ray.get_runtime_context().gcs_address, repr(_global_node.webui_url or ""), flush=True)
    print(os.environ["RAY_AUTH_MODE"], os.environ["RAY_USAGE_STATS_ENABLED"], flush=True)
    sys.stdin.read()
"""

#: Tries to connect.
OTHER = """
import sys
from fripn.executors import RayCluster
with RayCluster(sys.argv[1]).connected():
    import ray
    print(len(ray.nodes()))
"""


def test_a_local_cluster_admits_its_owner_alone(tmp_path):
    """By default: the token is on, the dashboard and the reports are off."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("the extra 'cluster' is not installed")

    def environment(name, **more):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
        (tmp_path / name).mkdir(exist_ok=True)
        return {**kept, "HOME": str(tmp_path / name), **more}

    def join(address, env):
        return subprocess.run(
            [sys.executable, "-c", OTHER, address],
            env=env, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    with subprocess.Popen(
        [sys.executable, "-c", LOCAL],
        env=environment("owner"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as owner:  # fmt: skip
        address, dashboard = owner.stdout.readline().split()
        assert dashboard == "''"
        assert owner.stdout.readline().split() == ["token", "0"]
        token = tmp_path / "owner" / ".ray" / "auth_token"
        assert token.stat().st_mode & 0o777 == 0o600
        assert join(address, environment("owner")).stdout == "1\n"
        wrong = environment("other", RAY_AUTH_TOKEN=secrets.token_hex(32))
        for stranger in (wrong, environment("nobody", RAY_AUTH_MODE="disabled")):
            refused = join(address, stranger)
            assert refused.returncode == 1
            assert "InvalidSetting: there is no connection to the cluster" in refused.stderr
            assert "copy its token to ~/.ray/auth_token" in refused.stderr
        owner.stdin.close()


def fail(item):
    raise ValueError(f"{item} is wrong")


def test_errors_of_the_work_are_raised_here(cluster):
    """As they were raised there."""
    with RayCluster(cluster.address).open(fail, str) as workers:
        workers.submit(7)
        with pytest.raises(ValueError, match=r"^7 is wrong$"):
            workers.wait()


def test_items_that_fit_nowhere_are_refused(cluster):
    """They would wait for ever."""
    with (
        RayCluster(cluster.address, threads=2).open(abs, str) as workers,
        pytest.raises(InvalidSetting, match="no node has more than 1; give fewer threads"),
    ):
        workers.submit(1)


def test_without_the_package_there_is_a_remedy(monkeypatch):
    """One sentence, before anything is done."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(MissingExtra, match=r"not installed; run: pip install 'fripn\[cluster\]'"),
        RayCluster().open(abs, str),
    ):
        pass


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "--cluster is ''; give local, auto or HOST:PORT"),
        ("ray://head:10001", "start the command on a node of the cluster"),
    ],
)
def test_addresses_that_cannot_be_are_refused_at_once(address, message):
    """Where they are given."""
    with pytest.raises(InvalidSetting, match=message):
        RayCluster(address)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", r"no connection to the cluster '127.0.0.1:1' \(connection refused\)"),
        ("nowhere", "--cluster is 'nowhere'; give local, auto, or the HOST:PORT"),
        ("127.0.0.1:port", "--cluster is '127.0.0.1:port'; give local, auto"),
        ("127.0.0.1:65536", "--cluster is '127.0.0.1:65536'; give local, auto"),
    ],
)
def test_an_address_without_a_cluster_is_refused(address, message):
    """Soon, and with the address."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("the extra 'cluster' is not installed")
    with pytest.raises(InvalidSetting, match=message), RayCluster(address).open(abs, str):
        pass


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
def test_ctrl_c_ends_the_wait_for_a_head_that_is_silent(monkeypatch):
    """What answers at an address may be another program; there is nothing to clean up."""
    ray = pytest.importorskip("ray")

    def connect(address, **options):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(PATIENCE):
            time.sleep(1)

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", connect)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt), RayCluster(address).open(abs, str):
            pass
    assert time.monotonic() - began < PATIENCE


def test_the_cluster_of_this_machine_that_has_died_is_refused(monkeypatch):
    """Its address is still in the environment, or in a file of Ray; Ray would try for minutes."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("the extra 'cluster' is not installed")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    message = r"no connection to the cluster 'auto' \(127\.0\.0\.1:1: connection refused\); start"
    with pytest.raises(InvalidSetting, match=message), RayCluster("auto").open(abs, str):
        pass


@pytest.mark.skipif(os.name == "nt", reason="rights of files are another matter there")
def test_the_token_is_for_its_owner_alone(tmp_path, monkeypatch):
    """Ray writes it with the usual rights."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    ray_cluster._protect_token()
    token = tmp_path / ".ray" / "auth_token"
    token.parent.mkdir()
    token.write_text("secret", encoding="utf-8")
    token.chmod(0o644)
    ray_cluster._protect_token()
    assert token.stat().st_mode & 0o777 == 0o600


def test_a_cluster_has_its_own_number_of_processors():
    """Jobs are for those that are made here."""
    with pytest.raises(InvalidSetting, match="leave --jobs out"):
        RayCluster("auto", jobs=2)
    assert RayCluster("local", jobs=2).jobs == 2
