"""The network step by step in plain numpy, float64, unfolded: what the fast path must equal."""

import math
from dataclasses import dataclass, field

import numpy as np

from fripn import _core


def attention(query, key, value, num_heads, mask=None, is_joint=False):
    """Multi-head attention (Q, D), (N, D), (N, D) without its output map.

    If it is joint, there is one softmax over all pairs of a query and a key.
    """
    width = query.shape[1] // num_heads
    result = np.zeros_like(query)
    for head in range(num_heads):
        part = slice(head * width, (head + 1) * width)
        scores = query[:, part] @ key[:, part].T / math.sqrt(width)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        if is_joint:
            weights = np.exp(scores - scores.max())
            result[:, part] = weights / weights.sum() @ value[:, part]
            continue
        for row, line in enumerate(scores):
            if np.isfinite(line).any():
                weights = np.exp(line - line.max())
                result[row, part] = weights / weights.sum() @ value[:, part]
    return result


class PlainPolicy:
    """One instance at a time, every formula as it is written in docs/policy.md."""

    def __init__(self, weights):
        self.config = weights.config
        self.t = {name: array.astype(np.float64) for name, array in weights.tensors.items()}

    def linear(self, name, inputs):
        """Apply a linear map by name."""
        result = inputs @ self.t[f"{name}.weight"].T
        return result + self.t[f"{name}.bias"] if f"{name}.bias" in self.t else result

    def norm(self, name, h):
        """Normalise each channel over the nodes."""
        h = (h - h.mean(0)) / np.sqrt(h.var(0) + 1e-5)
        return h * self.t[f"{name}.weight"] + self.t[f"{name}.bias"]

    def attend(self, name, queries, nodes, mask=None):
        """Attend from queries to nodes with the maps of that name."""
        return attention(
            self.linear(f"{name}.query", queries),
            self.linear(f"{name}.key", nodes),
            self.linear(f"{name}.value", nodes),
            self.config.num_heads,
            mask,
            self.config.attention == "joint",
        )

    def encode(self, scaled):
        """Embed the nodes of a scaled instance."""
        inputs = np.column_stack([scaled.coordinates, scaled.demands])
        h = self.linear("encoder.customer", inputs)
        h[0] = self.linear("encoder.depot", inputs[0, :2])
        for i in range(self.config.num_layers):
            layer = f"encoder.layers.{i}"
            h = self.norm(
                f"{layer}.norm1", self.linear(f"{layer}.output", self.attend(layer, h, h)) + h
            )
            hidden = np.maximum(self.linear(f"{layer}.ff1", h), 0)
            h = self.norm(f"{layer}.norm2", self.linear(f"{layer}.ff2", hidden) + h)
        return h

    def log_probs(self, h, state):
        """Log-probabilities (K, N) of all actions; -inf where unavailable."""
        allowed = state.allowed()
        candidate = state.location == 0
        columns = [h[state.location], self.scalars(state)]
        if self.config.remaining_graph:
            graph = (allowed[:, 1:] @ h[1:]) / len(h)
            columns.append(candidate[:, None] * graph)
        own = self.linear("vehicle.input", np.concatenate(columns, axis=1))
        vehicles = self.linear("vehicle.output", self.attend("vehicle", own, own))
        if self.config.vehicle_residual:
            vehicles = vehicles + own
        if self.config.route_by_route and not candidate.all():
            allowed[candidate] = False
        glimpse = self.linear("decoder.output", self.attend("decoder", vehicles, h, allowed))
        scores = glimpse @ self.linear("decoder.pointer_key", h).T / math.sqrt(self.config.width)
        if self.config.pair_width:
            scores = scores + self.pairs(h, state)
        scores = np.where(allowed, self.config.clip * np.tanh(scores), -np.inf)
        return scores - scores.max() - np.log(np.exp(scores - scores.max()).sum())

    def pairs(self, h, state):
        """Return the pair term (K, N), one pair at a time."""
        s = state.scaled
        scalars = self.scalars(state)
        root = math.sqrt((~state.visited[1:]).sum())
        terms = np.zeros((s.num_types, len(h)))
        for k, here in enumerate(state.location):
            for i in range(len(h)):
                to_depot, way = (math.dist(s.coordinates[i], s.coordinates[j]) for j in (0, here))
                raw = np.array([to_depot, s.demands[i], i == 0])
                hidden = self.linear("pair.node", h[i]) + self.linear("pair.raw", raw)
                hidden += self.linear("pair.location", h[here])
                hidden += self.linear("pair.scalars", scalars[k])
                hidden += way * self.linear("pair.distance", np.array([1.0, root]))
                if self.config.has_near:
                    hidden += self.linear("pair.near", np.array([pair_near(state, k, i)]))
                if self.config.has_local:
                    hidden += self.linear("pair.local", surroundings(state, i))
                if self.config.has_pack:
                    hidden += self.linear("pair.waste", np.array([pair_waste(state, k, i)]))
                hidden += self.linear("pair.fill", s.demands[i : i + 1] / s.capacities[k])
                terms[k, i] = self.linear("pair.output", np.maximum(hidden, 0))[0]
        return terms

    def scalars(self, state):
        """Return the scalar inputs per type, (K, S)."""
        s = state.scaled
        candidate = state.location == 0
        load = s.capacities - state.carried
        scalars = {
            "remaining_load": load,
            "capacity": s.capacities,
            "unit_cost": s.unit_costs,
            "fixed_cost": candidate * s.fixed_costs,
        }
        if self.config.features != "paper":
            scalars |= cover_scalars(state, candidate, load)
        if self.config.has_pack:
            left = state.left()
            scalars["slack"] = np.full(len(load), cover_slack(state, candidate, load))
            scalars["waste"] = np.array([unfilled(s, left, room) for room in load])
        return np.stack([scalars[name] for name in self.config.scalar_names], axis=1)


def cover_scalars(state, candidate, load):
    s = state.scaled
    steps, costs = _core.cover_table(
        s.capacities[None], s.fixed_costs[None], np.array([s.demands.sum()])
    )

    def G(demand):
        cell = int(np.ceil(demand / steps[0] - 1e-6))
        return 0.0 if cell <= 0 else costs[0, min(cell, costs.shape[1] - 1)]

    total = s.demands.sum()
    level = G(total) / total if total > 0 and G(total) > 0 else 1.0
    left = [i for i in range(1, len(s.demands)) if not state.visited[i]]
    u = s.demands[left].sum()
    free = load[~candidate].sum()
    net = max(0.0, u - free)
    safe = u if u > 0 else 1e-9
    K = len(load)
    regret = np.array([s.fixed_costs[k] + G(u - s.capacities[k]) - G(u) for k in range(K)])
    net_regret = np.array([s.fixed_costs[k] + G(net - s.capacities[k]) - G(net) for k in range(K)])
    value = np.array([G(u) - G(u - load[k]) for k in range(K)])
    ones = np.ones(K)
    return {
        "unserved": 0.1 * u * ones,
        "net_demand": 0.1 * net * ones,
        "unserved_per_capacity": np.minimum(u / s.capacities, 3),
        "free_per_unserved": min(free / safe, 2) * ones,
        "regret": candidate * regret,
        "net_regret": candidate * net_regret,
        "relative_regret": candidate * regret / level,
        "relative_net_regret": candidate * net_regret / level,
        "value": ~candidate * value,
        "relative_value": ~candidate * (value / level - load),
        "is_candidate": candidate * ones,
        "share_unserved": len(left) / (len(s.demands) - 1) * ones,
        "load_per_unserved": ~candidate * np.minimum(load / safe, 1),
    }


def cover_slack(state, candidate, load):
    """How far the demand for new vehicles is from a more expensive cover, by trying."""
    s = state.scaled
    steps, costs = _core.cover_table(
        s.capacities[None], s.fixed_costs[None], np.array([s.demands.sum()]), 1.0
    )
    net = s.demands[state.left()].sum() - load[~candidate].sum()
    cell = max(0, int(np.ceil(net / steps[0] - 1e-6)))
    price = costs[0, cell]
    while cell + 1 < costs.shape[1] and costs[0, cell + 1] <= price * (1 + 1e-9):
        cell += 1
    return min(1.0, max(0.0, cell * steps[0] - net))


def unfilled(scaled, customers, room):
    """Room that no subset of the customers fills; sums of subsets are bits of one number."""
    if len(customers) > 24:
        return 0.0
    sums = 1
    for i in customers:
        sums |= sums << int(scaled.load_cells[i])
    limit = max(0, math.floor(room / scaled.load_unit + 1e-6))
    best = (sums & ((2 << limit) - 1)).bit_length() - 1
    return min(1.0, max(0.0, room - scaled.load_unit * best))


def pair_waste(state, vehicle_type, node):
    s = state.scaled
    room = s.capacities[vehicle_type] - state.carried[vehicle_type]
    if node == 0:
        return min(1.0, room)
    left = state.left()
    if node not in left or len(left) > 24:
        return 0.0
    return unfilled(s, [i for i in left if i != node], room - s.demands[node])


def pair_near(state, vehicle_type, node):
    """Ten times the room that the unserved of the eight nearest do not fill, on the road."""
    s = state.scaled
    if state.location[vehicle_type] == 0:
        return 0.0
    room = s.capacities[vehicle_type] - state.carried[vehicle_type]
    if node == 0:
        return min(1.0, 10 * room)
    room -= s.demands[node]
    near = [i for i in nearest_to(s, node) if not state.visited[i]][:8]
    if room > 1 or s.load_cells[near].sum() <= math.floor(room / s.load_unit + 1e-6):
        return 0.0
    return min(1.0, 10 * unfilled(s, near, room))


def surroundings(state, node):
    """Return what is unserved around a customer, from all customers for each number."""
    s = state.scaled
    left = state.left()
    listed = nearest_to(s, node)
    if node == 0 or not listed:
        return np.zeros(6)
    first, second = two_nearest(state, node)
    around = [i for i in listed if i in left]
    followers = [i for i in left if [j for j in nearest_to(s, i) if j in left][:1] == [node]]
    detours = [two_nearest(state, i)[1] - two_nearest(state, i)[0] for i in followers]
    share, load = len(around) / len(listed), s.demands[around].sum() / 4
    return np.array([first, second, share, load, len(followers) / 2, sum(detours)])


def nearest_to(scaled, node):
    """Return the 16 customers nearest to a node."""
    places = scaled.coordinates
    others = [i for i in range(1, len(places)) if i != node]
    return sorted(others, key=lambda i: math.dist(places[i], places[node]))[:16]


def two_nearest(state, node):
    """Return the distances to the two nearest unserved; the last one listed stands in for them."""
    s = state.scaled
    listed = nearest_to(s, node)
    found = [i for i in listed if not state.visited[i]] + 2 * listed[-1:]
    root = math.sqrt(len(s.demands) - 1)
    return [root * math.dist(s.coordinates[node], s.coordinates[i]) for i in found[:2]]


@dataclass
class PlainState:
    """Where things stand in one trajectory."""

    scaled: object
    location: np.ndarray = field(init=False)
    carried: np.ndarray = field(init=False)
    hired: np.ndarray = field(init=False)
    visited: np.ndarray = field(init=False)

    def __post_init__(self):
        K = self.scaled.num_types
        self.location = np.zeros(K, dtype=int)
        self.carried = np.zeros(K)
        self.hired = np.zeros(K, dtype=int)
        self.visited = np.zeros(len(self.scaled.demands), dtype=bool)

    def left(self):
        """Return the unserved customers."""
        return [i for i in range(1, len(self.visited)) if not self.visited[i]]

    def allowed(self):
        """Return which nodes each type may go to, (K, N)."""
        s = self.scaled
        room = s.capacities * (1 + 0.5e-9) - self.carried
        can = ~self.visited[None] & (s.demands[None] <= room[:, None])
        spent = (s.available >= 0) & (self.hired >= s.available) & (self.location == 0)
        can[spent] = False
        can[:, 0] = self.location != 0
        return can

    def step(self, vehicle_type, node):
        """Move a vehicle."""
        self.hired[vehicle_type] += self.location[vehicle_type] == 0
        self.location[vehicle_type] = node
        if node:
            self.carried[vehicle_type] += self.scaled.demands[node]
            self.visited[node] = True
        else:
            self.carried[vehicle_type] = 0.0
