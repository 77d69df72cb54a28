"""Small files in the text formats of benchmark sets, shared by tests."""

SOLOMON = """R1

VEHICLE
NUMBER     CAPACITY
  25         200

CUSTOMER
CUST NO.   XCOORD.   YCOORD.    DEMAND   READY TIME   DUE DATE   SERVICE TIME

    0          35      35           0       0         230           0
    1          41      49          10     161         171          10
    2          35      17           7      50          60          10
    3          55      45          13     116         126          10
"""

CORDEAU = """2 4 2 2
60 80
0 70
 1 37 52 5   7 1 4 1 2 4 8
 2 49 49 0  30 1 4 1 2 4 8
 3 20 20 0   0 0 0
 4 30 40 0   0 0 0
"""

WINDOWS = """6 4 2 1
0 80
 1 37 52 5   7 1 1 1 20 90
 2 49 49 0  30 1 1 1 30 95
 3 20 20 0   0 0 0 0 200
"""
