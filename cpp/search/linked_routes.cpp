#include "linked_routes.h"

#include <algorithm>
#include <numeric>

namespace fripn {

namespace {

// Unlimited fleets always keep a few empty routes, so that moves can hire a vehicle.
constexpr int spare_routes = 3;

}  // namespace

LinkedRoutes::LinkedRoutes(const Instance& instance, const RoutePrice& price)
    : instance_(instance), price_(price), num_customers_(instance.num_customers()),
      matrix_(instance.row(0)),
      stride_(at(instance.num_customers()) + 1),
      is_symmetric_(instance.is_symmetric()) {
    nodes_.resize(at(num_customers_) + 1);
}

void LinkedRoutes::add_routes(int count, int type) {
    for (int i = 0; i < count; ++i) {
        routes_.push_back({0.0, 0.0, 0.0, 0.0, infinity, type, 0, 0});
        nodes_.resize(nodes_.size() + 2);
        const int route = num_routes() - 1;
        link(start_of(route), end_of(route));
    }
}

void LinkedRoutes::fill(int route, const std::vector<int>& customers) {
    int last = previous(end_of(route));
    for (const int c : customers) {
        link(last, c);
        last = c;
    }
    link(last, end_of(route));
}

void LinkedRoutes::load(const Plan& plan, long now) {
    routes_.clear();
    first_empty_ = 0;
    nodes_.resize(at(num_customers_) + 1);
    if (price_.is_limited())
        load_limited(plan);
    else
        load_unlimited(plan);
    for (int r = 0; r < num_routes(); ++r) update(r, now);
}

void LinkedRoutes::load_unlimited(const Plan& plan) {
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        add_routes(1, route.type);
        fill(num_routes() - 1, route.customers);
    }
    add_routes(spare_routes, 0);
}

// Every vehicle is a place. Routes keep their type while there is one free; the others, largest load first,
// take the smallest vehicle left that holds them, else the largest left, else they join the last route.
void LinkedRoutes::load_limited(const Plan& plan) {
    const int num_types = instance_.num_types();
    std::vector<int> free(at(num_types));
    for (int k = 0; k < num_types; ++k) free[at(k)] = instance_.vehicle_type(k).available;
    std::vector<double> loads(plan.routes.size(), 0.0);
    std::vector<std::size_t> homeless;
    for (std::size_t r = 0; r < plan.routes.size(); ++r) {
        const PlanRoute& route = plan.routes[r];
        if (route.customers.empty()) continue;
        for (const int c : route.customers) loads[r] += instance_.demand(c);
        if (free[at(route.type)] > 0) {
            if (free[at(route.type)] != VehicleType::unlimited) --free[at(route.type)];
            add_routes(1, route.type);
            fill(num_routes() - 1, route.customers);
        } else {
            homeless.push_back(r);
        }
    }
    std::sort(homeless.begin(), homeless.end(), [&](std::size_t a, std::size_t b) { return loads[a] > loads[b]; });
    for (const std::size_t r : homeless) {
        int best = -1;
        for (int k = 0; k < num_types; ++k) {
            if (free[at(k)] == 0) continue;
            if (best < 0) {
                best = k;
                continue;
            }
            const double limit = instance_.vehicle_type(k).load_limit;
            const double other = instance_.vehicle_type(best).load_limit;
            const bool fits = limit >= loads[r];
            const bool other_fits = other >= loads[r];
            if (fits != other_fits ? fits : (fits ? limit < other : limit > other)) best = k;
        }
        if (best >= 0) {
            if (free[at(best)] != VehicleType::unlimited) --free[at(best)];
            add_routes(1, best);
        }
        fill(num_routes() - 1, plan.routes[r].customers);
    }
    // One empty vehicle of a type is as good as another: a few of each suffice.
    for (int k = 0; k < num_types; ++k) add_routes(std::min(free[at(k)], spare_routes), k);
}

void LinkedRoutes::update(int route, long now) {
    Route& r = routes_[at(route)];
    double load = 0.0;
    double distance = 0.0;
    double reversed = 0.0;
    int position = 0;
    int node = start_of(route);
    const int end = end_of(route);
    nodes_[at(node)] = {next(node), end, route, 0, 0.0, 0.0, 0.0};
    int before = node;
    do {
        node = next(before);
        const double leg = this->distance(before, node);
        distance += leg;
        reversed += is_symmetric_ ? leg : this->distance(node, before);
        load += demand(node);
        Node& entry = nodes_[at(node)];
        entry.route = route;
        entry.position = ++position;
        entry.load_to = load;
        entry.distance_to = distance;
        entry.reversed_to = reversed;
        before = node;
    } while (node != end);
    r.size = position - 1;
    r.load = load;
    r.distance = r.size == 0 ? 0.0 : distance;
    r.changed_at = now;
    if (r.size == 0) first_empty_ = std::min(first_empty_, route);
    set_price(r);
}

void LinkedRoutes::set_price(Route& r) {
    if (r.size == 0) {
        r.price = 0.0;
        return;
    }
    if (!price_.is_limited()) r.type = price_.best_type(r.load, r.distance);
    r.price = price_.with_type(r.type, r.load, r.distance);
    r.unit_cost = price_.unit_cost(r.type);
    r.relief = price_.relief(r.type, r.load);
}

void LinkedRoutes::set_type(int route, int type, long now) {
    Route& r = routes_[at(route)];
    r.type = type;
    r.changed_at = now;
    set_price(r);
}

double LinkedRoutes::total_price() const {
    double total = 0.0;
    for (int r = 0; r < num_routes(); ++r) {
        double load = 0.0;
        double distance = 0.0;
        for (int node = start_of(r); node != end_of(r); node = next(node)) {
            load += demand(node);
            distance += this->distance(node, next(node));
        }
        if (!is_empty(r)) total += price_(type_of(r), load, distance);
    }
    return total;
}

Plan LinkedRoutes::unload() const {
    Plan plan;
    plan.cost = 0.0;
    for (int r = 0; r < num_routes(); ++r) {
        if (is_empty(r)) continue;
        PlanRoute route{type_of(r), {}};
        for (int node = next(start_of(r)); node != end_of(r); node = next(node)) route.customers.push_back(node);
        const VehicleType& type = instance_.vehicle_type(route.type);
        plan.cost += type.fixed_cost + type.unit_cost * distance_of(r);
        plan.routes.push_back(std::move(route));
    }
    return plan;
}

}  // namespace fripn
