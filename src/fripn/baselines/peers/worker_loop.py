"""The loop of a worker, run as a script: ``python -P worker_loop.py ortools_worker.py``.

The script that is named gives ``solve(job, write)``, which writes messages while it works. Neither
imports anything of fripn; `process` describes their protocol.
"""

from __future__ import annotations

import json
import pickle
import runpy
import sys
from pathlib import Path
from typing import Any


def write(message: dict[str, Any]) -> None:
    """Send a message to the process that started this one."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do one job after the other until the input ends."""
    solve = runpy.run_path(str(Path(__file__).with_name(sys.argv[1])))["solve"]
    while True:
        write({"ready": True})
        try:
            job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        solve(job, write)


if __name__ == "__main__":
    main()
