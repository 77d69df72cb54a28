"""What is run for the page: which methods, on how many instances, for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fripn.batch.runner import WorkItem
from fripn.bench.paper.published import SIZES
from fripn.bench.run import bench_item
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.policy import Policy, PolicyWeights, default_weights, load_weights, shipped_weights
from fripn.policy.weights import SUFFIX
from fripn.run import Method
from fripn.solve import method_class

#: The decodings of the paper, by the names of `fripn.bench.decodings`.
DECODINGS = ("greedy", "greedy x8", "sampling", "sampling x8")

#: Networks of the paper by the names of their weights, without the number of customers.
NETWORKS = {"paper": "Ours", "paper-without-graph": "Compared DRL"}

#: Our network, by the name of its weights.
OURS = "fripn"

#: Seconds of sampling ×8 with 1,000 samples on one core, per customer: for the estimate of hours.
_SECONDS_PER_CUSTOMER = {OURS: 0.06, "paper": 0.08, "paper-without-graph": 0.08}


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is run.

    Parameters
    ----------
    heuristics
        Instances per cell of heuristics in Table 1, by size; a size without any is left out.
    policies
        Instances per cell of policies, the same.
    limits
        Seconds per run in Table 1, by name of the method.
    samples
        Trajectories per symmetry.
    golden
        Instances of Table 2.
    golden_seconds
        Limit of the hybrid there.
    golden_seeds
        Seeds there.
    large
        Instances per size in Fig. 6, by size.
    large_seconds
        Limit of every method there.
    """

    heuristics: Mapping[int, int]
    policies: Mapping[int, int]
    limits: Mapping[str, float]
    samples: int = 1000
    golden: int = 12
    golden_seconds: float = 1.5
    golden_seeds: int = 3
    large: Mapping[int, int] = field(default_factory=dict)
    large_seconds: float = 10.0

    def first(self, count: int) -> Scale:
        """Return this scale with at most so many instances in every cell."""
        return replace(
            self,
            heuristics={size: min(count, number) for size, number in self.heuristics.items()},
            policies={size: min(count, number) for size, number in self.policies.items()},
            golden=min(count, self.golden),
            large={size: min(count, number) for size, number in self.large.items()},
        )


_LIMITS = {"milp": 30.0} | dict.fromkeys(("alns", "tabu", "genetic", "hgs", "pyvrp"), 5.0)

SCALES = {
    "full": Scale(
        heuristics={20: 50, 50: 20, 75: 20, 100: 20},
        policies=dict.fromkeys(SIZES, 1000),
        limits=_LIMITS,
        large={200: 10, 500: 10, 1000: 10},
    ),
    "quick": Scale(
        heuristics=dict.fromkeys(SIZES, 2),
        policies=dict.fromkeys(SIZES, 4),
        limits=dict.fromkeys(_LIMITS, 5.0),
        golden_seeds=1,
        large={200: 1, 500: 1},
        large_seconds=5.0,
    ),
    "toy": Scale(
        heuristics={20: 1},
        policies={20: 1},
        limits=dict.fromkeys(_LIMITS, 0.2),
        samples=2,
        golden=1,
        golden_seconds=0.05,
        golden_seeds=1,
        large={30: 1},
        large_seconds=0.2,
    ),
}


@dataclass(frozen=True, slots=True)
class Networks:
    """The weights there are: those that ship, and those of a folder.

    Parameters
    ----------
    folder
        Where ``paper-20.safetensors`` and so on are looked for first; None for shipped ones only.
    """

    folder: Path | None = None

    def load(self, name: str) -> PolicyWeights | None:
        """Return weights by name; None where there are none."""
        if name == OURS:
            return default_weights()
        if self.folder is not None and (self.folder / f"{name}{SUFFIX}").is_file():
            return load_weights(self.folder / f"{name}{SUFFIX}")
        return load_weights(name) if name in shipped_weights() else None

    def for_size(self, network: str, size: int) -> tuple[str, PolicyWeights] | None:
        """Return the weights of a network trained at a size, or else at the nearest smaller one."""
        if network == OURS:
            return OURS, default_weights()
        stem, _, rest = network.partition("-")
        for trained in sorted(SIZES, key=lambda one: (one > size, abs(one - size))):
            name = "-".join([stem, str(trained), *([rest] if rest else [])])
            if (weights := self.load(name)) is not None:
                return name, weights
        return None


@dataclass(frozen=True, slots=True)
class Contender:
    """A method of the page.

    Parameters
    ----------
    name
        What lines call it: a name of `METHODS`, or weights with their fingerprint and a decoding.
    method
        The method with its settings; None for that of the name.
    seconds
        Its limit; None where it ends by itself.
    expected
        Seconds that a run is expected to take.
    """

    name: str
    method: Method | None
    seconds: float | None
    expected: float

    def item(self, case: Case, seed: int = 0) -> WorkItem:
        """Return a run of it, with one thread.

        A target that no plan reaches keeps decodings from ending at the known optimum of the
        instance: the seconds are those of a whole decoding.
        """
        budget = Budget(seconds=self.seconds, target=0.0)
        return bench_item(case, self.name, seed, 1, budget, chosen=self.method)


@dataclass(frozen=True, slots=True)
class Planned:
    """A run to do, and how long it is expected to take."""

    item: WorkItem
    expected: float


def heuristic(name: str, seconds: float) -> Contender:
    """Return a method that uses the time it is given."""
    chosen: Method | None = None
    if name == "milp":
        chosen = method_class(name)(model="paper", start_plan=False)
    return Contender(line_name(name), chosen, seconds, seconds)


def line_name(method: str) -> str:
    """Return what lines call a method of Table 1."""
    return "milp --model paper --no-start-plan" if method == "milp" else method


def decoded(
    network: str, name: str, weights: PolicyWeights, decoding: str, samples: int, size: int
) -> Contender:
    """Return a policy decoded the paper's way: temperature 1, no split.

    Parameters
    ----------
    network
        Which network: a key of `NETWORKS`, or `OURS`.
    name, weights
        Its weights.
    decoding
        One of `DECODINGS`.
    samples
        Trajectories per symmetry.
    size
        Customers, for the estimate of seconds.
    """
    greedy, augment = decoding.startswith("greedy"), decoding.endswith("x8")
    method = Policy(
        decode="greedy" if greedy else "sampling",
        samples=None if greedy else samples,
        augment=augment,
        split=False,
        temperature=1.0,
        weights=weights,
    )
    share = (1 if augment else 1 / 8) * (10 if greedy else samples) / 1000
    expected = _SECONDS_PER_CUSTOMER[network] * size * share
    return Contender(policy_name(name, weights, decoding, samples), method, None, expected)


def policy_name(name: str, weights: PolicyWeights, decoding: str, samples: int) -> str:
    """Return what lines call a policy decoded the paper's way."""
    drawn = "" if decoding.startswith("greedy") or samples == 1000 else f" of {samples}"
    return f"policy {name} {weights.fingerprint}: {decoding}{drawn}"
