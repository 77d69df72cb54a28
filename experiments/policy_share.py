"""How much of the time the policy should get: by number of vehicle types and customers.

    python experiments/policy_share.py [--types 5,15,30] [--sizes 150,300] [--instances 6]
        [--budgets 0.2,1] [--shares 0,0.05,0.2,0.4]

The hybrid's start is made as it makes it: the plan of savings, then the policy's plans within a
share of the time, of which those cheaper than savings go to the engine; share 0 is the engine
alone. Seconds are those of the processor, so that other processes do not matter: the policy is
limited by the processor's clock, and the engine by the iterations that it does in the time left, as
counted once per instance and budget. Prints mean gaps to the best cost of all shares. Random
instances of the paper's distribution with seeds that no table uses. The settings of the hybrid for
many vehicle types come from this table.
"""

from __future__ import annotations

import time
from statistics import fmean
from types import SimpleNamespace

from fripn import Budget, Instance, Run, _core
from fripn.bench.markdown import markdown_table
from fripn.bench.script import ScriptParser, integer, list_of, positive, run
from fripn.core import to_core
from fripn.errors import InvalidSetting
from fripn.incumbent import Incumbent
from fripn.policy import Policy, propose
from fripn.problem import Solution, evaluate
from fripn.problem.generate import paper_instance
from fripn.search import search_from

FIRST_SEED = 820_000
NUM_PLANS = 4

#: Iterations of the first of two runs that count how many fit into a second.
FIRST_ITERATIONS = 200


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--types", type=list_of(integer(1)), default=[5, 15, 30])
    parser.add_argument("--sizes", type=list_of(integer(1)), default=[150, 300])
    parser.add_argument("--instances", type=integer(1), default=6, help="per cell")
    parser.add_argument("--budgets", type=list_of(positive), default=[0.2, 1.0])
    parser.add_argument("--shares", type=list_of(float), default=[0.0, 0.05, 0.2, 0.4])
    options = parser.parse_args()
    if not all(0 <= share < 1 for share in options.shares):
        raise InvalidSetting(f"--shares is {options.shares}; give numbers from 0 to below 1")
    use_processor_clock()
    rows = []
    for num_types in options.types:
        for size in options.sizes:
            for seconds in options.budgets:
                gaps = measure(num_types, size, seconds, options.shares, options.instances)
                cells = [f"{fmean(gaps[share]):.2f}" for share in options.shares]
                rows.append([str(num_types), str(size), f"{seconds:g}", *cells])
                print(" | ".join(rows[-1]), flush=True)
    header = ["types", "customers", "s", *(f"share {share:g}" for share in options.shares)]
    print(markdown_table(header, rows, num_left=0))


def use_processor_clock() -> None:
    """Let the policy count seconds of this process."""
    import fripn.policy.propose

    fripn.policy.propose.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore


def measure(
    num_types: int, size: int, seconds: float, shares: list[float], count: int
) -> dict[float, list[float]]:
    """Return the gaps of every share to the best of them, in percent, by instance."""
    policy = Policy(weights=Policy().loaded_weights())
    gaps: dict[float, list[float]] = {share: [] for share in shares}
    for number in range(count):
        instance = paper_instance(size, FIRST_SEED + number, num_types)
        rate = iterations_per_second(instance, seconds)
        costs = {share: cost_of(instance, policy, share, seconds, rate) for share in shares}
        best = min(costs.values())
        for share, cost in costs.items():
            gaps[share].append(100.0 * (cost / best - 1.0))
    return gaps


def iterations_per_second(instance: Instance, seconds: float) -> float:
    """Count the engine's iterations, at about the length of the run that they are for."""
    rate = _rate(instance, FIRST_ITERATIONS)
    return _rate(instance, max(1, int(rate * seconds)))


def _rate(instance: Instance, iterations: int) -> float:
    began = time.process_time()
    search(instance, [savings(instance)], iterations)
    return iterations / (time.process_time() - began)


def cost_of(instance: Instance, policy: Policy, share: float, seconds: float, rate: float) -> float:
    """Return the cost of a run in which the policy has a share of the time."""
    began = time.process_time()
    first = savings(instance)
    limit = evaluate(instance, first).cost
    plans = [first]
    if share > 0:
        found = propose(instance, NUM_PLANS, seconds=share * seconds, policy=policy)
        plans += [one.plan for one in found if one.cost < limit]
    left = seconds - (time.process_time() - began)
    if left <= 0:
        return min(evaluate(instance, plan).cost for plan in plans)
    return search(instance, plans, max(1, int(left * rate)))


def savings(instance: Instance) -> Solution:
    return Solution.of(_core.savings(to_core(instance)))


def search(instance: Instance, plans: list[Solution], iterations: int) -> float:
    """Return the cost after so many iterations of the engine from these plans."""
    best = Incumbent(instance, Run(Budget(iterations=iterations)), "hybrid")
    for plan in plans:
        best.consider(plan)
    search_from(best, plans, with_savings=False)
    return best.cost


if __name__ == "__main__":
    run(main)
