"""The notebooks in examples/ run from top to bottom."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: A kernel is a process of its own, which the sanitizers' libraries would only slow down.
pytestmark = pytest.mark.pure

EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, resources={"metadata": {"path": "."}}).execute()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_notebook_runs(notebook):
    """No cell fails."""
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, notebook.name],
        cwd=notebook.parent,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_notebooks_are_stored_without_outputs():
    """The source holds no output."""
    notebooks = sorted((ROOT / "examples").glob("*.ipynb"))
    assert len(notebooks) >= 2
    for notebook in notebooks:
        text = notebook.read_text(encoding="utf-8")
        assert '"outputs": []' in text
        assert '"execution_count": null' in text
        assert '"output_type"' not in text
