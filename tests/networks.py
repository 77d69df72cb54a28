"""The configurations of the network that the tests of the policy and of training go through."""

from __future__ import annotations

from dataclasses import replace

from fripn.policy.config import PolicyConfig

_RESIDUAL_PAIRS = {"vehicle_residual": True, "pair_width": 32}
_ROUTE_BY_ROUTE = {"features": "local", "route_by_route": True, **_RESIDUAL_PAIRS}
_ODD_SIZES = {"width": 30, "num_heads": 3, "ff_width": 20, "features": "cover"}

#: As published, with the default number of layers.
NETWORKS = {
    "paper": PolicyConfig(),
    "compared": PolicyConfig(remaining_graph=False),
    "cover": PolicyConfig(features="cover"),
    "residual": PolicyConfig(features="cover", vehicle_residual=True),
    "residual, paper": PolicyConfig(vehicle_residual=True),
    "few pairs": PolicyConfig(remaining_graph=False, pair_width=8),
    "cover, pairs": PolicyConfig(features="cover", **_RESIDUAL_PAIRS),
    "pack": PolicyConfig(features="pack"),
    "pack, pairs": PolicyConfig(features="pack", **_RESIDUAL_PAIRS),
    "near, pairs": PolicyConfig(features="near", **_RESIDUAL_PAIRS),
    "local, pairs": PolicyConfig(features="local", **_RESIDUAL_PAIRS),
    "paper, route by route": PolicyConfig(route_by_route=True),
    "route by route": PolicyConfig(**_ROUTE_BY_ROUTE),
    "joint": PolicyConfig(attention="joint"),
    "joint, route by route": PolicyConfig(attention="joint", **_ROUTE_BY_ROUTE),
}

#: Shapes that fill no vector register, and a clip of their own.
ODD_NETWORKS = {
    "odd sizes": PolicyConfig(vehicle_residual=True, **_ODD_SIZES),
    "wide heads": PolicyConfig(width=72, num_heads=2, ff_width=20, clip=4.0),
    "odd pairs": PolicyConfig(pair_width=56, **_ODD_SIZES),
    "joint, odd sizes": PolicyConfig(attention="joint", **_ODD_SIZES),
}

#: All of them with few layers, to save time: one, or two where the layers themselves differ.
SHALLOW_NETWORKS = {
    name: replace(config, num_layers=2 if name in ("odd sizes", "joint", "joint, odd sizes") else 1)
    for name, config in {**NETWORKS, **ODD_NETWORKS}.items()
}
