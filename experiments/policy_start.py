"""Where the policy gives the engine a better start than savings: by the share of fixed costs.

    python experiments/policy_start.py [--instances 60] [--sizes 60,100,150]

On random instances of the wide distribution, the greedy plan of the policy after the optimal split
against the plan of savings, by the share that fixed costs have in the latter. The hybrid's setting
`min_fixed_share` comes from this table.
"""

from __future__ import annotations

import numpy as np

from fripn import _core
from fripn.bench.markdown import markdown_table
from fripn.bench.script import ScriptParser, integer, list_of, run
from fripn.core import to_core
from fripn.policy import Policy, propose
from fripn.problem import Solution, evaluate
from fripn.problem.generate import wide_instance

FIRST_SEED = 810_000
EDGES = (0.0, 0.2, 0.4, 0.6, 0.75, 0.9, 1.0)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--sizes", type=list_of(integer(1)), default=[60, 100, 150])
    parser.add_argument("--instances", type=integer(1), default=60, help="per size")
    options = parser.parse_args()
    policy = Policy(weights=Policy().loaded_weights())
    shares, differences = [], []
    for size in options.sizes:
        for number in range(options.instances):
            instance = wide_instance(size, FIRST_SEED + number)
            savings = evaluate(instance, Solution.of(_core.savings(to_core(instance))))
            draft = propose(instance, 1, seconds=0.0, policy=policy)[0]
            shares.append(savings.fixed_cost / savings.cost)
            differences.append(100 * (draft.cost / savings.cost - 1))
    place = np.digitize(shares, EDGES[1:-1])
    gained = np.array(differences)
    header = ["share of fixed costs", "instances", "mean difference to savings", "policy better"]
    rows = []
    for index in range(len(EDGES) - 1):
        mine = gained[place == index]
        if len(mine):
            share = f"{EDGES[index]:g} to {EDGES[index + 1]:g}"
            better = f"{100 * (mine < 0).mean():.0f} %"
            rows.append([share, f"{len(mine)}", f"{mine.mean():+.2f} %", better])
    print(markdown_table(header, rows))


if __name__ == "__main__":
    run(main)
