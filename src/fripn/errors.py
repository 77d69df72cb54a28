"""The exceptions callers may want to catch.

FripnError
├── InvalidInput            what the user gave us is wrong; the command line exits with code 2
│   ├── InvalidInstance     problem data that describe no solvable problem
│   ├── InvalidSolution     a solution that cannot be read, or breaks a rule where none may
│   ├── InvalidFile         a file that is missing, unreadable, or not in the format it claims
│   ├── InvalidSetting      an option, setting or method name that does not exist or is out of range
│   ├── MissingExtra        a method needs a package that is not installed
│   ├── Unsupported         a method cannot handle this kind of instance
│   └── CheckpointMismatch  weights that do not fit the network they are loaded into
├── TrainingFailed          training cannot go on; exit code 1
└── NoPlanFound             the instance is valid, but no feasible plan was found; exit code 1
"""


class FripnError(Exception):
    """Base of everything this package raises on purpose."""


class InvalidInput(FripnError, ValueError):
    """What the user gave us is wrong; the message names place, value and remedy."""


class InvalidInstance(InvalidInput):
    """Problem data that describe no solvable problem.

    Parameters
    ----------
    message
        Place, value and remedy.
    stop
        Index of the stop that is wrong, so that a reader can say where the file has it; None when
        it is not a single stop.
    """

    def __init__(self, message: str = "", stop: int | None = None) -> None:
        super().__init__(message)
        self.stop = stop


class InvalidSolution(InvalidInput):
    """A solution that cannot be read, or breaks a rule where none may be broken."""


class InvalidFile(InvalidInput):
    """A file that is missing, unreadable, or not in the format it claims."""


class InvalidSetting(InvalidInput):
    """An option, setting or method name that does not exist or is out of range."""


class MissingExtra(InvalidInput):
    """A method needs an optional package that is not installed."""


class Unsupported(InvalidInput):
    """A method cannot handle this kind of instance."""


class CheckpointMismatch(InvalidInput):
    """Weights that do not fit the network they are loaded into."""


class TrainingFailed(FripnError):
    """Training cannot go on, for example because the loss is no longer finite."""


class NoPlanFound(FripnError):
    """The instance is valid, but no feasible plan was found within the budget."""
