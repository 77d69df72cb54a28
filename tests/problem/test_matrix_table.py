"""Distances between all stops from a table, whatever its labels and their order."""

import numpy as np
import pytest

from fripn.errors import InvalidInput, InvalidTable
from fripn.problem.io import parse_input, read_matrix
from fripn.problem.roads import with_road_factor

STOPS = "id,name,lat,lon,demand\na,Ann,51.1,12.1,2\ndepot,Hub,51,12,\nb,Bob,51.2,12.3,3\n"
VEHICLES = "type,capacity,fixed_cost,unit_cost\nvan,5,10,1\n"
FOUND = parse_input(STOPS, "csv", vehicles=VEHICLES)

#: Depot first, then a and b.
EXPECTED = [[0, 4.5, 7], [5, 0, 3], [7, 3, 0]]


def read(text):
    return read_matrix(text, FOUND.instance, FOUND.order, "km").tolist()


@pytest.mark.parametrize(
    "text",
    [
        "id,depot,a,b\ndepot,0,4.5,7\na,5,0,3\nb,7,3,0\n",
        ";b;depot;a\nb;0;7;3\na;3;5;0\ndepot;7;0;4,5\n",
        "Ann\tHub\tBob\n0\t5\t3\n4,5\t0\t7\n3\t7\t0\n",
        "a,0,5,3\ndepot,4.5,0,7\nb,3,7,0\n",
        "0,5,3\n4.5,0,7\n3,7,0\n",
        "\n,depot,a,b\ndepot,,4.5,7\na,5,,3\nb,7,3,\n",
        "from,to,km\ndepot,a,4.5\na,depot,5\na,b,3\ndepot,b,7\n",
        "Von;Nach;Entfernung;Dauer\nHub;Ann;4,5;1\nAnn;Hub;5;1\nBob;Ann;3;1\nBob;Hub;7;1\n",
    ],
)
def test_squares_and_pairs(text):
    """Ids or names, any order, blanks on the diagonal; a bare square follows the table's rows."""
    assert read(text) == EXPECTED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n1,0\n", "2 rows and 2 columns; give one row and one column for each of the 3"),
        (",depot,a,c\ndepot,0,4,7\na,5,0,3\nc,7,3,0\n", "has the id or name 'c'"),
        (",depot,a,a\ndepot,0,4,7\na,5,0,3\nb,7,3,0\n", "the label 'a' occurs twice"),
        (",depot,a,b\ndepot,0,x,7\na,5,0,3\nb,7,3,0\n", "line 2: the distance is 'x'; give a num"),
        (",depot,a,b\ndepot,0,,7\na,5,0,3\nb,7,3,0\n", "line 2: the distance is empty"),
        (",depot,a,b\ndepot,0,-1,7\na,5,0,3\nb,7,3,0\n", "the distance is '-1'; it must be 0"),
        (";depot;a;b\ndepot;0;1.050;7\na;5;0;3\nb;7;3;0\n", "which may mean 1050"),
        ("from,to,km\ndepot,a,4.5\n", "there is no row from the depot to customer 2"),
        ("from,to\ndepot,a\n", "the column 'distance' is missing"),
        ("from,to,km\ndepot,z,4.5\n", "line 2: no stop of instance has the id or name 'z'"),
        ("", "the file is empty"),
    ],
)
def test_mistakes(text, message):
    """With line, value and remedy."""
    with pytest.raises(InvalidInput) as caught:
        read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("km: ")


def test_pairs_with_distance_and_duration():
    """Each is read on its own."""
    text = "from,to,km,min\ndepot,a,1,10\na,b,2,20\ndepot,b,3,30\n"
    minutes = read_matrix(text, FOUND.instance, FOUND.order, "roads", "duration")
    assert minutes.tolist() == [[0, 10, 30], [10, 0, 20], [30, 20, 0]]
    assert read(text)[0] == [0, 1, 3]


def test_all_mistakes_at_once():
    """As in the other tables."""
    with pytest.raises(InvalidTable) as caught:
        read(",depot,a,b\ndepot,0,x,7\na,5,0,y\nb,-7,3,0\n")
    assert caught.value.num_mistakes == 3


def test_road_factor():
    """The map stays, distances grow."""
    instance = FOUND.instance
    roads = with_road_factor(instance, 1.3)
    assert np.allclose(roads.distance_matrix(), 1.3 * instance.distance_matrix())
    assert roads.is_geographic
    assert roads.coordinates.tolist() == instance.coordinates.tolist()
    with pytest.raises(InvalidInput, match="needs no road factor"):
        with_road_factor(roads, 1.3)
    with pytest.raises(InvalidInput, match="road factor is 0"):
        with_road_factor(instance, 0)
