"""``python -m fripn``: the same as the command ``fripn``."""

from fripn.cli import main

if __name__ == "__main__":
    main()
