"""What it brings to let only the vehicle on the road choose: speed, and what becomes of the plans.

    python benchmarks/route_by_route.py [--weights FILE] [--instances 12] [--samples 400]

The same weights sample the same instances twice, with types in any order and route
by route; both draw from the same streams. Counted are the decisions of the free variant that send
a second vehicle out while one is on the road: only these are not to be had route by route. Times
are processor time of one thread.
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fripn.bench.script import ScriptParser, integer, run
from fripn.policy import Policy, default_weights, load_weights, scale
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import core_problems, rollout_tables
from fripn.problem.generate import paper_instance, wide_instance

DISTRIBUTIONS = {"paper": paper_instance, "wide": wide_instance}
FIRST_SEED = 880_000


def second_vehicles(actions: npt.NDArray[np.int32], num_nodes: int) -> tuple[int, int]:
    """Decisions of trajectories (J, T) on the road, and those that send out a second vehicle."""
    on_road = seconds = 0
    for trajectory in actions:
        out: set[int] = set()
        for action in trajectory[trajectory >= 0].tolist():
            vehicle_type, node = divmod(action, num_nodes)
            on_road += bool(out)
            seconds += bool(out) and vehicle_type not in out
            (out.discard if node == 0 else out.add)(vehicle_type)
    return on_road, seconds


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--weights", type=Path, help="default: the shipped ones")
    parser.add_argument("--instances", type=integer(1), default=12)
    parser.add_argument("--samples", type=integer(1), default=400)
    options = parser.parse_args()
    weights = load_weights(options.weights) if options.weights else default_weights()
    decoders = [
        fold(dataclasses.replace(weights.config, route_by_route=strict), weights.tensors)
        for strict in (False, True)
    ]
    print(f"weights {weights.fingerprint}, kernels {decoders[0].kernels}")
    for name, draw in DISTRIBUTIONS.items():
        for size in (20, 50, 100):
            seconds, best = [0.0, 0.0], [[], []]
            on_road = turns = types = 0
            for number in range(options.instances):
                scaled = scale(draw(size, FIRST_SEED + number))
                types += scaled.num_types
                problems = core_problems([scaled])
                embeddings = encode(
                    weights.config, weights.tensors, problems.coordinates, problems.demands
                )
                for variant, decoder in enumerate(decoders):
                    tables = decoder.tables(embeddings)
                    began = time.process_time()
                    made = rollout_tables(
                        decoder,
                        tables,
                        problems,
                        trajectories=options.samples,
                        greedy=False,
                        draw_first_type=True,
                        temperature=Policy().temperature_for(size),
                        seed=1,
                    )
                    seconds[variant] += time.process_time() - began
                    best[variant].append(made.costs.min())
                    if variant == 0:
                        roads, others = second_vehicles(made.actions[0], size + 1)
                        on_road, turns = on_road + roads, turns + others
            free, strict = map(np.array, best)
            micro = [1e6 * spent / options.instances / options.samples for spent in seconds]
            print(
                f"{name} distribution, n = {size:3d}, {types / options.instances:.1f} types: "
                f"{micro[0]:.0f} us per sample, route by route {micro[1]:.0f}, "
                f"ratio {micro[0] / micro[1]:.2f}; a second vehicle leaves in {turns} of {on_road} "
                f"decisions on the road; best of {options.samples} route by route "
                f"{100 * (strict / free - 1).mean():+z.3f} %",
                flush=True,
            )


if __name__ == "__main__":
    run(main)
