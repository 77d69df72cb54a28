"""A pair of small tables: three customers, vans and trucks."""

STOPS = """id,name,x,y,demand,depot
0,Depot,0,0,0,1
10,Ada,3,4,2,
20,Bo,6,8,3,
30,Cy,0,5,1,
"""
VEHICLES = """type,capacity,fixed_cost,unit_cost,max_count
van,4,10,1,
truck,6,15,2,3
"""
