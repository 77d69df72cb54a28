// Changes of a plan by hand. Plans are lists of {vehicle_type, customers}; every function returns a new list.

/** Return the plan as the service reads it. */
export const plain = (routes) => routes.map(({ vehicle_type, customers }) => ({ vehicle_type, customers }));

let lastId = 0;

/** Return the routes with an id each, so that locks survive when routes come and go. */
export const withIds = (routes) => 
  routes.map(({ vehicle_type, customers, id }) => ({ vehicle_type, customers, id: id || `r${Date.now().toString(36)}-${(lastId += 1)}` }));

/** Return [route, position] of a stop; null where no route serves it. */
export const whereIs = (routes, stop) => {
  for (let route = 0; route < routes.length; route += 1) {
    const position = routes[route].customers.indexOf(stop);
    if (position >= 0) return [route, position];
  }
  return null;
};

const without = (routes, stop) =>
  routes.map((route) => (route.customers.includes(stop) ? { ...route, customers: route.customers.filter((other) => other !== stop) } : route));

const used = (routes) => routes.filter((route) => route.customers.length);

/** Return the plan with a stop at a position of a route, counted after it was taken out of its old place. */
export const moveStop = (routes, stop, route, position) => {
  const left = without(routes, stop);
  const customers = [...left[route].customers];
  customers.splice(position, 0, stop);
  left[route] = { ...left[route], customers };
  return used(left);
};

/** Return the plan with a stop on a new vehicle of its own. */
export const moveToNewRoute = (routes, stop, vehicleType) =>
  withIds([...used(without(routes, stop)), { vehicle_type: vehicleType, customers: [stop] }]);

/** Return the plan with a stop that nobody serves. */
export const unassign = (routes, stop) => used(without(routes, stop));

export const changeType = (routes, route, vehicleType) =>
  routes.map((other, index) => (index === route ? { ...other, vehicle_type: vehicleType } : other));

export const reverse = (routes, route) =>
  routes.map((other, index) => (index === route ? { ...other, customers: [...other.customers].reverse() } : other));

/** Return the position of a route where a stop is the shortest detour, as the crow flies; the end without a map. */
export const bestPosition = (model, route, stop) => {
  const customers = route.customers.filter((other) => other !== stop);
  if (!model.hasMap) return customers.length;
  const depot = model.depotOf(route.vehicle_type);
  const tour = [depot, ...customers, ...(model.returns(route.vehicle_type) ? [depot] : [])];
  const far = (a, b) => Math.hypot(model.places[a][0] - model.places[b][0], model.places[a][1] - model.places[b][1]);
  let best = [Infinity, customers.length];
  for (let place = 0; place < tour.length; place += 1) {
    const next = tour[place + 1];
    const detour = next === undefined ? far(tour[place], stop) : far(tour[place], stop) + far(stop, next) - far(tour[place], next);
    if (detour < best[0]) best = [detour, place];
  }
  return Math.min(best[1], customers.length);
};
