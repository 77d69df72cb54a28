"""Structured logs: a line of JSON for every request and every change of a job."""

from __future__ import annotations

import json
import logging
import logging.handlers
import sys
import time
from pathlib import Path

#: Size of the file, and how many earlier ones are kept.
_MAX_BYTES = 5_000_000
_FILES = 3

#: Attributes of a record that are not ours.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{now}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in _STANDARD},
        }
        line.pop("color_message", None)  # a second copy of the message, by uvicorn
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def start_logs(target: Path | None) -> None:
    """Write the logs of the service and of the web server.

    Parameters
    ----------
    target
        The file, which is replaced by a new one when it is large; None for stderr.
    """
    handler: logging.Handler
    if target is None:
        handler = logging.StreamHandler(sys.stderr)
    else:
        handler = logging.handlers.RotatingFileHandler(
            target, maxBytes=_MAX_BYTES, backupCount=_FILES, encoding="utf-8"
        )
    handler.setFormatter(JsonLines())
    logging.raiseExceptions = False  # a full disk costs lines of the log and nothing else
    for name in ("fripn.serve", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.setLevel(logging.INFO)
        logger.propagate = name == "uvicorn.error"
    # Its lines would hold the query, hence the token of the first request.
    logging.getLogger("uvicorn.access").disabled = True
