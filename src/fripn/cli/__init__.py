"""The command line: it parses, calls the library, and turns errors into exit codes.

Start-up time is part of the product, so modules here import nothing heavy at the top: what a
command needs is imported inside it.
"""

from fripn.cli.main import main

__all__ = ["main"]
