"""What the command line exits with; see the table in ``docs/cli.md``."""

DONE = 0
NO_PLAN = 1
BAD_INPUT = 2
INTERRUPTED = 130
CLOSED_PIPE = 141
