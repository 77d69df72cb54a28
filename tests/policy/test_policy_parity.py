"""The native decoder and the numpy encoder against the torch modules, which define the network."""

import numpy as np
import pytest
from policy_helpers import prepared

from fripn.policy.rollout import rollout
from fripn.problem.generate import paper_instance
from networks import NETWORKS

torch = pytest.importorskip("torch")


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(("n", "K"), [(1, 1), (3, 10), (20, 4), (60, 6), (200, 10)])
def test_log_probs_equal_torch(name, n, K):
    """Every decision of whole trajectories agrees to 1e-4, encoder included."""
    instances = [paper_instance(n, 31 * n + s, K) for s in range(2 if n < 100 else 1)]
    assert_parity(NETWORKS[name], instances)


def other_instances(variation):
    """Make small variations on the paper's distribution."""
    rng = np.random.default_rng(3)
    for seed in range(2):
        base = paper_instance(20, seed, 4)
        if variation == "off the grid":
            demands = rng.uniform(0.01, 0.5, 21)
            demands[[0, 4]] = 0.0
            yield base.replace(demands=demands)
        elif variation == "integers":
            demands = np.rint(30 * base.demands)
            types = tuple(t.replace(capacity=round(60 * t.capacity)) for t in base.vehicle_types)
            yield base.replace(demands=demands, vehicle_types=types)
        elif variation == "free vehicles":
            types = tuple(t.replace(fixed_cost=0.0) for t in base.vehicle_types)
            yield base.replace(vehicle_types=types)
        else:
            types = tuple(t.replace(available=8) for t in base.vehicle_types[1:])
            yield base.replace(vehicle_types=(base.vehicle_types[0], *types))


@pytest.mark.parametrize("variation", ["off the grid", "integers", "free vehicles", "limited"])
@pytest.mark.parametrize(
    "name", ["pack", "pack, pairs", "near, pairs", "local, pairs", "route by route"]
)
def test_packing_equals_torch_on_other_loads(name, variation):
    """Cells of another width, rounded ones, hardly any plateaus, and types that run out."""
    assert_parity(NETWORKS[name], list(other_instances(variation)))


def assert_parity(config, instances):
    from fripn.train.network import Policy
    from fripn.train.state import Batch, replay

    weights, problems, embeddings, decoder = prepared(config, instances, instances[0].num_customers)
    found = rollout(decoder, embeddings, problems, trajectories=2, draw_first_type=False)
    network = Policy(config)
    network.load_state_dict({name: torch.tensor(a) for name, a in weights.tensors.items()})
    batch = Batch.of(instances)
    actions = torch.as_tensor(found.actions, dtype=torch.int64)
    with torch.no_grad():
        logs = network(network.encode(batch), batch, replay(batch, actions))
    logs = logs.reshape(*actions.shape, -1)
    chosen = logs.gather(-1, actions.clamp(min=0)[..., None])[..., 0].numpy()
    expected = np.where(found.actions >= 0, chosen, 0.0)
    assert np.abs(found.log_probs - expected).max() < 1e-4
