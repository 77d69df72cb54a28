"""The native decoder and the numpy encoder against the torch modules, which define the network."""

import numpy as np
import pytest
from test_policy_rollout import sharp_weights

from fripn.policy import PolicyConfig, scale
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import Problems, rollout
from fripn.problem.generate import paper_instance

torch = pytest.importorskip("torch")

CONFIGS = {
    "paper": PolicyConfig(),
    "compared": PolicyConfig(remaining_graph=False),
    "cover": PolicyConfig(features="cover"),
    "residual": PolicyConfig(features="cover", vehicle_residual=True),
    "residual, paper": PolicyConfig(vehicle_residual=True),
    "few pairs": PolicyConfig(pair_width=8, remaining_graph=False),
    "ours": PolicyConfig(features="cover", vehicle_residual=True, pair_width=32),
}


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize(("n", "K"), [(1, 1), (3, 10), (20, 4), (60, 6), (200, 10)])
def test_log_probs_equal_torch(name, n, K):
    """Every decision of whole trajectories agrees to 1e-4, encoder included."""
    from fripn.train.network import Policy
    from fripn.train.state import Batch, replay

    config = CONFIGS[name]
    weights = sharp_weights(config, n)
    instances = [paper_instance(n, 31 * n + s, K) for s in range(2 if n < 100 else 1)]
    problems = Problems.of([scale(instance) for instance in instances])
    embeddings = encode(config, weights.tensors, problems.coordinates, problems.demands)
    found = rollout(
        fold(config, weights.tensors), embeddings, problems, trajectories=2, draw_first_type=False
    )
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
