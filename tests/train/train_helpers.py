"""Small policies, labels and runs that several tests of training share."""

import os
import shutil
import signal

import numpy as np
import torch

from fripn.policy.config import PolicyConfig
from fripn.policy.weights import random_weights
from fripn.problem import Solution
from fripn.problem.generate import paper_instance
from fripn.train import loop as loop_module
from fripn.train.config import TrainConfig, parse_config
from fripn.train.labels import Labels, label
from fripn.train.network import Policy
from fripn.train.state import reset, step, total_cost

SMALL = {"width": 32, "num_layers": 2, "num_heads": 4, "ff_width": 64}

NETWORK = {"width": 16, "num_layers": 1, "num_heads": 2, "ff_width": 32, "features": "cover"}

VALIDATION = "validation"


def make_policy(
    features: str, graph: bool, residual: bool, pair_width: int = 0, seed: int = 0, **others
) -> Policy:
    """Make a small torch policy away from any special initial values."""
    config = PolicyConfig(
        **SMALL,
        features=features,
        remaining_graph=graph,
        vehicle_residual=residual,
        pair_width=pair_width,
        **others,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        policy = Policy(config)
        for parameter in policy.parameters():
            parameter.data += 0.1 * torch.randn_like(parameter)
        return policy


def random_policy(config: PolicyConfig) -> Policy:
    """Make a torch policy with the weights of `random_weights`."""
    policy = Policy(config)
    weights = random_weights(config, 2)
    policy.load_state_dict({name: torch.tensor(a) for name, a in weights.tensors.items()})
    return policy


def trajectory_cost(batch, actions):
    """Return the cost (B, S) of finished trajectories (B, S, T), step by step."""
    state = reset(batch, actions.shape[1])
    for action in actions.unbind(-1):
        state = step(batch, state, action)
    assert bool(state.is_done.all())
    return total_cost(batch, state)


def one_each(instance) -> Solution:
    """Plan one vehicle of the largest type per customer, but one for the first two together."""
    largest = int(np.argmax(instance.capacities))
    routes = [(largest, (1, 2)), *((largest, (c,)) for c in range(3, instance.num_customers + 1))]
    return Solution.of(routes)


def make_labels_of(num: int, size: int = 6, given: int = 0) -> tuple[list, Labels]:
    """Label instances with the plans of `one_each`."""
    instances = [paper_instance(size, seed, 3) for seed in range(num)]
    (labels,) = label(instances, [one_each(instance) for instance in instances], [given] * num)
    return instances, labels


def make_config(labels, **changes) -> TrainConfig:
    """Make the settings of a run of a few steps."""
    table = {
        "steps": 8,
        "policy": NETWORK,
        "instances": {"sizes": [6]},
        "imitation": {"weight": 1.0, "labels": str(labels), "batch_size": 4},
        "reinforce": {
            "weight": 0.5,
            "batch_size": 2,
            "trajectories": 4,
            "keep": 2,
            "normalise": True,
        },
        "optimiser": {"learning_rate": 1e-2, "schedule": "cosine", "average": 0.9},
        "validation": {"labels": str(labels / VALIDATION), "instances": 4, "samples": 4},
    }
    return parse_config({**table, **changes})


def copy_of(run, tmp_path):
    """Copy a run, so that a test may change it."""
    return shutil.copytree(run, tmp_path / "run")


def interrupt_after(patch, step, number=signal.SIGINT):
    """Send a signal while a step is taken."""
    original = loop_module._Run._one_step

    def step_and_interrupt(self):
        original(self)
        if self.step == step:
            os.kill(os.getpid(), number)

    patch.setattr(loop_module._Run, "_one_step", step_and_interrupt)
