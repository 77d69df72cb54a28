"""Small tables (three customers, vans and trucks) and a plan for any instance."""

from __future__ import annotations

from fripn.problem import Solution

STOPS = """id,name,x,y,demand,depot
0,Depot,0,0,0,1
10,Ada,3,4,2,
20,Bo,6,8,3,
30,Cy,0,5,1,
"""
VEHICLES = """type,capacity,fixed_cost,unit_cost,available
van,4,10,1,
truck,6,15,2,3
"""


def one_by_one(instance):
    """Give the plan in which each customer gets the largest vehicle to itself."""
    largest = max(range(instance.num_types), key=lambda k: instance.vehicle_types[k].capacity)
    return Solution.of((largest, (customer,)) for customer in range(1, instance.num_customers + 1))
