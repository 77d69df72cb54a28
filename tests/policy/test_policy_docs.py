"""What docs/policy.md lists is what the network takes."""

import re
from pathlib import Path

from fripn.policy import PolicyConfig
from fripn.policy.config import FEATURES

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")


def test_the_table_of_scalars_is_the_order_of_the_columns():
    """Every scalar, by its name, in its feature set and in the order of the weights."""
    rows = re.findall(r"^\| (\w+) \| `(\w+)` \| .+ \|$", PAGE, re.MULTILINE)
    for features in FEATURES:
        included = FEATURES[: FEATURES.index(features) + 1]
        listed = tuple(name for group, name in rows if group in included)
        assert listed == PolicyConfig(features=features).scalar_names
