"""The native decoder against the straightforward torch one: same weights, same work, one run.

    python benchmarks/policy_decoder.py [--features cover] [--pair-width 0] [--threads 2]

Torch takes most of the time. The torch side steps `fripn.train.network.Policy`, the readable
definition, without folding, as the authors' code does it. Untrained weights do: the work does not
depend on their values, but trajectories differ, so times are also given per decision.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from typing import NamedTuple

import numpy as np

from fripn import _core
from fripn.bench.script import ScriptParser, integer, run
from fripn.policy import Policy, PolicyConfig, PolicyWeights, random_weights, scale
from fripn.policy.config import FEATURES
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import core_problems, rollout_tables
from fripn.policy.session import NUM_SYMMETRIES, Session, folded, mirrored
from fripn.problem.generate import paper_instance
from fripn.run import Run

NUM_TYPES = 5


def matrix_peak() -> float:
    """GFLOP/s of a large float32 matrix product on one core."""
    import torch

    torch.set_num_threads(1)
    a = torch.rand(1024, 1024)
    best = np.inf
    for _ in range(10):
        began = time.process_time()
        a @ a
        best = min(best, time.process_time() - began)
    return 2 * 1024**3 / best / 1e9


def flops_per_decision(config: PolicyConfig, num_nodes: int, num_types: int) -> float:
    """Multiplications and additions the network needs after folding; half the nodes are left."""
    D, K = config.width, num_types
    per_type = D * D + 2 * K * D + 3 * D * 4 + (3 * D + 4 * config.pair_width) * num_nodes / 2
    return 2 * K * per_type


def views_of(n: int) -> tuple[_core.PolicyProblems, np.ndarray, np.ndarray]:
    problems = core_problems([scale(paper_instance(n, 7, NUM_TYPES))])
    views = np.stack([mirrored(problems.coordinates[0], s) for s in range(NUM_SYMMETRIES)])
    return problems, views, np.repeat(problems.demands, NUM_SYMMETRIES, axis=0)


class Timed(NamedTuple):
    """Seconds by the wall clock, seconds of all cores together, decisions made."""

    wall: float
    cpu: float
    decisions: int

    @property
    def each(self) -> float:
        """Seconds of one core per decision: hardly moved by what else the machine does."""
        return self.cpu / self.decisions


def native(weights: PolicyWeights, n: int, samples: int, threads: int) -> Timed:
    """Sample so many trajectories for each of the eight symmetries, encoder included."""
    problems, views, demands = views_of(n)
    decoder = fold(weights.config, weights.tensors)
    began, cpu = time.perf_counter(), time.process_time()
    embeddings = encode(weights.config, weights.tensors, views, demands, threads)
    tables = decoder.tables(embeddings, threads)
    found = rollout_tables(
        decoder,
        tables,
        problems,
        trajectories=samples,
        greedy=False,
        draw_first_type=True,
        seed=1,
        threads=threads,
    )
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    return Timed(wall, cpu, int((found.actions >= 0).sum()))


def straightforward(weights: PolicyWeights, n: int, samples: int, threads: int) -> Timed:
    """Do the same with torch modules, step by step."""
    import torch

    from fripn.train.network import Policy as Network
    from fripn.train.state import Batch, reset, step

    torch.set_num_threads(threads)
    network = Network(weights.config)
    network.load_state_dict({k: torch.tensor(v) for k, v in weights.tensors.items()})
    problems, views, _ = views_of(n)

    def repeated(array: np.ndarray) -> np.ndarray:
        return np.repeat(array, NUM_SYMMETRIES, axis=0)

    generator = torch.Generator().manual_seed(1)
    decisions = 0
    with torch.inference_mode():
        began, cpu = time.perf_counter(), time.process_time()
        batch = Batch.from_arrays(
            views,
            repeated(problems.demands),
            repeated(problems.capacities),
            repeated(problems.fixed_costs),
            repeated(problems.unit_costs),
            load_units=repeated(problems.load_units),
            load_cells=repeated(problems.load_cells),
        )
        nodes = network.encode(batch)
        state = reset(batch, samples)
        while not bool(state.is_done.all()):
            logs = network(nodes, batch, state)
            done = state.is_done
            chances = torch.where(done[..., None], 1.0, logs.exp()).flatten(0, 1)
            action = torch.multinomial(chances, 1, generator=generator).reshape(done.shape)
            state = step(batch, state, torch.where(done, -1, action))
            decisions += int((~done).sum())
        return Timed(time.perf_counter() - began, time.process_time() - cpu, decisions)


def compare(weights: PolicyWeights, n: int, samples: int, threads: int, peak: float) -> None:
    ours = min(native(weights, n, samples, threads) for _ in range(3))
    plain = straightforward(weights, n, samples, threads)
    rate = flops_per_decision(weights.config, n + 1, NUM_TYPES) / ours.each / 1e9
    print(
        f"n = {n:4d}, {samples} x {NUM_SYMMETRIES} samples, {NUM_TYPES} types, {threads} threads: "
        f"native {ours.wall:.2f} s, torch {plain.wall:.2f} s, ratio {plain.wall / ours.wall:.1f}; "
        f"per decision of one core {ours.each * 1e6:.2f} us and {plain.each * 1e6:.1f} us, "
        f"ratio {plain.each / ours.each:.1f}; {100 * rate / peak:.0f} % of the peak",
        flush=True,
    )


def greedy_latency(weights: PolicyWeights, n: int, threads: int) -> None:
    instance = paper_instance(n, 7, NUM_TYPES)
    folded(weights)
    times = []
    for _ in range(7):
        began = time.perf_counter()
        session = Session(
            weights, instance, num_symmetries=1, with_split=True, seed=0, threads=threads
        )
        session.encode(1)
        middle = time.perf_counter()
        session.greedy().plan(0)
        times.append((time.perf_counter() - began, middle - began))
    total, encoding = min(times)
    print(
        f"n = {n:4d}, one greedy plan with split: {total * 1e3:.1f} ms "
        f"(encoder {encoding * 1e3:.1f} ms)",
        flush=True,
    )


def peak_memory(weights: PolicyWeights, n: int, samples: int, threads: int) -> None:

    instance = paper_instance(n, 7, NUM_TYPES)
    began = time.perf_counter()
    Policy(samples=samples, weights=weights)(instance, Run(threads=threads))
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"n = {n:4d}, {samples} x {NUM_SYMMETRIES} samples with split as a method: "
        f"{seconds:.2f} s, peak memory of the process {memory:.0f} MB",
        flush=True,
    )


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--features", default="cover", choices=FEATURES)
    parser.add_argument("--pair-width", type=integer(0), default=0)
    parser.add_argument("--threads", type=integer(1), default=2)
    parser.add_argument("--samples", type=integer(1), default=1000, help="per symmetry at n = 20")
    parser.add_argument(
        "--samples-100", type=integer(1), default=100, help="per symmetry at n = 100"
    )
    settings = parser.parse_args()
    config = PolicyConfig(features=settings.features, pair_width=settings.pair_width)
    weights = random_weights(config, 1)
    # In a process of its own: the peak of this one would include torch.
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=peak_memory, args=(weights, 100, 1000, settings.threads))
    child.start()
    child.join()
    for n in (20, 100, 1000):
        greedy_latency(weights, n, settings.threads)
    peak = matrix_peak()
    print(f"kernels {folded(weights).kernels}; float32 matrix product {peak:.0f} GFLOP/s a core")
    compare(weights, 20, settings.samples, settings.threads, peak)
    compare(weights, 100, settings.samples_100, settings.threads, peak)


if __name__ == "__main__":
    run(main)
