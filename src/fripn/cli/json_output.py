"""What ``--json`` prints."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_json(record: dict[str, Any]) -> None:
    """Print one object; where the output is not in Unicode, with all other letters escaped."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(record, ensure_ascii=not is_unicode, allow_nan=False))
