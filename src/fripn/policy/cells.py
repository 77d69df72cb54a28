"""Loads in whole cells, so that sums over subsets of the demands are bits of a short row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fripn import _core
from fripn.problem.instance import FloatArray

CellArray = npt.NDArray[np.int32]

#: The largest capacity has at most this many cells.
MAX_CELLS = _core.NUM_LOAD_CELLS - 1

#: Decimals that a common unit of the demands may have.
MAX_DECIMALS = 4


def count_cells(demands: FloatArray, capacities: FloatArray) -> tuple[float, CellArray]:
    """Return the width of a cell, and the demands in cells.

    Where all demands are multiples of a decimal unit that is not too fine for the largest
    capacity, it is the cell and the counts are exact. Otherwise demands are rounded to the nearest
    cell, 1 at least where there is any demand.

    Parameters
    ----------
    demands
        Shape (N,).
    capacities
        Shape (K,), in the same unit.
    """
    largest = float(capacities.max())
    for decimals in range(MAX_DECIMALS + 1):
        shifted = demands * 10.0**decimals
        whole = np.rint(shifted)
        if whole.max() >= 2**53:
            break
        if np.abs(shifted - whole).max() <= 1e-9 * max(1.0, float(whole.max())):
            common = int(np.gcd.reduce(whole.astype(np.int64)))
            unit = common / 10.0**decimals
            if 0 < largest <= MAX_CELLS * unit * (1.0 + 1e-9):
                return unit, (whole / common).astype(np.int32)
            break
    unit = largest / MAX_CELLS
    cells = np.maximum(np.rint(demands / unit), demands > 0)
    return unit, cells.astype(np.int32)
