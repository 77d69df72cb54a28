"""One torch thread per test process, so that results are the same every time; labels and a run."""

import pytest
import torch
from train_helpers import VALIDATION, make_config

from fripn.train.labelling import LabelSettings, make_labels
from fripn.train.loop import train

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    """Make a folder with a few labels at n = 6, and another one inside for validation."""
    folder = tmp_path_factory.mktemp("labels")
    for seed, path in enumerate((folder, folder / VALIDATION)):
        settings = LabelSettings(sizes=(6,), wide_share=0.0, effort=1, customers=60, seed=seed)
        make_labels(settings, path, 2, report=lambda _: None)
    return folder


@pytest.fixture(scope="module")
def one_step(labels, tmp_path_factory):
    """Make the folder of a run after one step; see `copy_of`."""
    folder = tmp_path_factory.mktemp("one") / "step"
    train(make_config(labels, steps=1), folder, report=lambda _: None)
    return folder
