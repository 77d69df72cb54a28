"""Options that may be repeated: two values for one thing are refused."""

from __future__ import annotations

from collections.abc import Iterable

from fripn.errors import InvalidSetting


def check_keys(flag: str, keys: Iterable[str]) -> None:
    """Raise for a key that two entries of an option set, such as two ``--map Menge=…``."""
    known: set[str] = set()
    for key in keys:
        if key in known:
            raise InvalidSetting(
                f"{flag} sets {{value}} twice, and only one value can count",
                field=flag,
                value=key,
                remedy="set it once",
            )
        known.add(key)
