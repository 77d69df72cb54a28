"""The numbers a problem may hold, and the tolerances of its checks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: A load may exceed a capacity by this fraction of it: decimals such as 0.1 + 0.2 are not exact.
#: `evaluate` uses it in full; every search stays within half of it, and the core (its
#: ``search_load_tolerance``) has the same figure.
LOAD_TOLERANCE = 1e-9
SEARCH_LOAD_TOLERANCE = LOAD_TOLERANCE / 2

#: A time may exceed a limit by this fraction of the larger of the limit and the horizon, which is
#: the largest time that the windows and shifts of the instance name. A distance may exceed the
#: largest distance by the same fraction of it. Searches stay within half of both.
TIME_TOLERANCE = 1e-9
DISTANCE_TOLERANCE = 1e-9

#: Coordinates, demands, distances, capacities and costs lie within this, so that no sum or product
#: of them can overflow.
MAX_NUMBER = 1e15

#: Demands, capacities, costs and the largest distance are 0 or at least this. Products of much
#: smaller numbers would be 0.
MIN_NUMBER = 1e-30

#: No type has more vehicles than this; the core counts them in 64 bits.
MAX_AVAILABLE = 1_000_000_000

#: Characters of a name or id, at most: pictures, pages and tables show it in many places.
MAX_NAME = 1000

#: Columns of a table of stops that are kept although the problem does not need them, at most.
MAX_EXTRA_COLUMNS = 100

#: Cells of these columns, at most.
MAX_EXTRA_CELLS = 2_000_000
