#include "search/linked_routes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fripn::search {

namespace {

// Unlimited fleets always keep a few empty routes, so that moves can hire a vehicle.
constexpr int spare_routes = 3;

}  // namespace

template <Measure M>
LinkedRoutes<M>::LinkedRoutes(const Instance& instance, const RoutePrice<M>& price)
    : instance_(instance), price_(price), num_customers_(instance.num_customers()),
      matrix_(instance.row(0)),
      stride_(at(instance.num_customers()) + 1),
      is_symmetric_(instance.is_symmetric()) {
    nodes_.resize(at(num_customers_) + 1);
}

template <Measure M>
void LinkedRoutes<M>::add_routes(int count, int type) {
    for (int i = 0; i < count; ++i) {
        routes_.push_back({M{}, 0.0, 0.0, infinity, type, 0, 0});
        nodes_.resize(nodes_.size() + 2);
        const int route = num_routes() - 1;
        link(start_of(route), end_of(route));
        if (price_.is_limited()) ++used_[at(type)];
    }
}

template <Measure M>
void LinkedRoutes<M>::fill(int route, const std::vector<int>& customers) {
    int last = previous(end_of(route));
    for (const int c : customers) {
        link(last, c);
        last = c;
    }
    link(last, end_of(route));
}

template <Measure M>
void LinkedRoutes<M>::load(const Plan& plan, long now) {
    routes_.clear();
    first_empty_ = 0;
    nodes_.resize(at(num_customers_) + 1);
    if (price_.is_limited())
        load_limited(plan);
    else
        load_unlimited(plan);
    for (int r = 0; r < num_routes(); ++r) update(r, now);
}

template <Measure M>
void LinkedRoutes<M>::load_unlimited(const Plan& plan) {
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        add_routes(1, route.type);
        fill(num_routes() - 1, route.customers);
    }
    add_routes(spare_routes, 0);
}

// Every vehicle is a place. Routes keep their type while there is one free; the others, largest load first,
// take the smallest vehicle left that holds them, else the largest left, else they join the last route.
template <Measure M>
void LinkedRoutes<M>::load_limited(const Plan& plan) {
    const int num_types = instance_.num_types();
    used_.assign(at(num_types), 0);
    std::vector<double> loads(plan.routes.size(), 0.0);
    std::vector<std::size_t> homeless;
    for (std::size_t r = 0; r < plan.routes.size(); ++r) {
        const PlanRoute& route = plan.routes[r];
        if (route.customers.empty()) continue;
        for (const int c : route.customers) loads[r] += instance_.demand(c);
        if (is_free(route.type)) {
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
            if (!is_free(k)) continue;
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
        if (best >= 0) add_routes(1, best);
        fill(num_routes() - 1, plan.routes[r].customers);
    }
    // One empty vehicle of a type is as good as another: a few of each suffice.
    for (int k = 0; k < num_types; ++k)
        for (int i = 0; i < spare_routes && is_free(k); ++i) add_routes(1, k);
}

template <Measure M>
void LinkedRoutes<M>::update(int route, long now) {
    Route& r = routes_[at(route)];
    const int start = start_of(route);
    const int end = end_of(route);
    const M depot = M::of(visit(start));
    M forwards = depot;
    M backwards = depot;
    int position = 0;
    nodes_[at(start)] = {next(start), end, route, 0, depot, depot, {}};
    int before = start;
    int node = start;
    do {
        node = next(before);
        const typename M::Arc driven = arc(before, node);
        const typename M::Visit here = visit(node);
        forwards = forwards.extended(driven, here);
        backwards = backwards.preceded(here, is_symmetric_ ? driven : arc(node, before));
        Node& entry = nodes_[at(node)];
        entry.route = route;
        entry.position = ++position;
        entry.prefix = forwards;
        entry.reversed_prefix = backwards;
        before = node;
    } while (node != end);
    if constexpr (!M::shortcuts.adds_changes) {
        nodes_[at(end)].suffix = depot;
        for (node = end; node != start; node = previous(node))
            nodes_[at(previous(node))].suffix =
                nodes_[at(node)].suffix.preceded(visit(previous(node)), arc(previous(node), node));
    }
    r.size = position - 1;
    r.measure = r.size == 0 ? M{} : forwards;
    r.changed_at = now;
    if (r.size == 0) first_empty_ = std::min(first_empty_, route);
    set_price(r);
}

template <Measure M>
void LinkedRoutes<M>::set_price(Route& r) {
    if (r.size == 0) {
        r.price = 0.0;
        return;
    }
    if (!price_.is_limited()) r.type = price_.best_type(r.measure);
    r.price = price_.with_type(r.type, r.measure);
    if constexpr (M::shortcuts.bounds_by_distance) {
        r.unit_cost = price_.unit_cost(r.type);
        r.relief = price_.relief(r.type, r.measure);
    }
}

template <Measure M>
void LinkedRoutes<M>::set_type(int route, int type, long now) {
    Route& r = routes_[at(route)];
    r.type = type;
    r.changed_at = now;
    set_price(r);
}

template <Measure M>
bool LinkedRoutes<M>::exchange_types(double min_gain, long& now) {
    bool improved = false;
    for (int first = 0; first < num_routes(); ++first) {
        if (is_empty(first)) continue;
        for (int second = 0; second < num_routes(); ++second) {
            const int a = type_of(first);
            const int b = type_of(second);
            if (a == b || (second < first && !is_empty(second))) continue;
            double change = price_.with_type(b, measure_of(first)) - price_of(first);
            if (!is_empty(second)) change += price_.with_type(a, measure_of(second)) - price_of(second);
            if (change >= -min_gain) continue;
            ++now;
            set_type(first, b, now);
            set_type(second, a, now);
            improved = true;
        }
    }
    return improved;
}

template <Measure M>
void LinkedRoutes<M>::add_spares(long now) {
    const auto add = [&](int type) {
        add_routes(1, type);
        update(num_routes() - 1, now);
    };
    if (!price_.is_limited()) {
        if (first_empty() == num_routes()) add(0);
        return;
    }
    std::vector<char> has_spare(at(instance_.num_types()), 0);
    for (int r = 0; r < num_routes(); ++r)
        if (is_empty(r)) has_spare[at(type_of(r))] = 1;
    for (int k = 0; k < instance_.num_types(); ++k)
        if (!has_spare[at(k)] && is_free(k)) add(k);
}

template <Measure M>
void LinkedRoutes<M>::drive(Chain& chain, int first, int last, bool is_reversed) const {
    const int entered = is_reversed ? last : first;
    chain.measure = chain.measure.joined(arc(chain.last, entered), between(first, last, is_reversed));
    chain.last = is_reversed ? first : last;
}

template <Measure M>
void LinkedRoutes<M>::drive(Chain& chain, const Piece& piece, bool is_reversed) const {
    if (next(piece.before) != piece.after) drive(chain, next(piece.before), previous(piece.after), is_reversed);
}

template <Measure M>
M LinkedRoutes<M>::finish(const Chain& chain, int node) const {
    return chain.measure.joined(arc(chain.last, node), suffix(node));
}

// Change of a route's price when another piece takes the place of one of its own.
template <Measure M>
double LinkedRoutes<M>::replacement_change(const Piece& out, const Piece& in, bool is_reversed) const {
    const int route = route_of(out.before);
    const bool is_all = out.before == start_of(route) && out.after == end_of(route);
    if (is_all && next(in.before) == in.after) return -price_of(route);
    Chain chain = chain_to(out.before);
    drive(chain, in, is_reversed);
    return price_(type_of(route), finish(chain, out.after)) - price_of(route);
}

template <Measure M>
double LinkedRoutes<M>::exchange_change(const Exchange& move) const {
    const int route = route_of(move.first.before);
    if (route_of(move.second.before) != route)
        return replacement_change(move.first, move.second, move.is_reversed) +
               replacement_change(move.second, move.first, move.is_reversed);
    const bool in_order = position(move.first.before) < position(move.second.before);
    const Piece& early = in_order ? move.first : move.second;
    const Piece& late = in_order ? move.second : move.first;
    Chain chain = chain_to(early.before);
    drive(chain, late, move.is_reversed);
    drive(chain, early.after, late.before, false);
    drive(chain, early, move.is_reversed);
    return price_(type_of(route), finish(chain, late.after)) - price_of(route);
}

template <Measure M>
double LinkedRoutes<M>::reversal_change(const Piece& piece) const {
    return replacement_change(piece, piece, true);
}

// Turn the links between two nodes of a route around.
template <Measure M>
void LinkedRoutes<M>::flip(int first, int last) {
    for (int node = first;;) {
        const int after = next(node);
        std::swap(nodes_[at(node)].next, nodes_[at(node)].previous);
        if (node == last) return;
        node = after;
    }
}

template <Measure M>
void LinkedRoutes<M>::exchange(const Exchange& move) {
    // Ends of a piece in the order they will be driven; 0: nobody.
    struct Ends {
        int first;
        int last;
    };
    const auto ends_of = [&](const Piece& piece) -> Ends {
        const int first = next(piece.before);
        const int last = previous(piece.after);
        if (first == piece.after) return {0, 0};
        if (!move.is_reversed) return {first, last};
        flip(first, last);
        return {last, first};
    };
    const auto put = [&](const Ends& ends, const Piece& place) {
        const int last = ends.first == 0 ? place.before : ends.last;
        if (ends.first != 0) link(place.before, ends.first);
        link(last, place.after);
    };
    // Both are read before any link between them changes.
    const Ends first = ends_of(move.first);
    const Ends second = ends_of(move.second);
    put(second, move.first);
    put(first, move.second);
}

template <Measure M>
void LinkedRoutes<M>::reverse(const Piece& piece) {
    const int first = next(piece.before);
    const int last = previous(piece.after);
    flip(first, last);
    link(piece.before, last);
    link(first, piece.after);
}

template <Measure M>
double LinkedRoutes<M>::total_price() const {
    double total = 0.0;
    for (int r = 0; r < num_routes(); ++r) {
        if (is_empty(r)) continue;
        M route = M::of(visit(start_of(r)));
        for (int node = start_of(r); node != end_of(r); node = next(node))
            route = route.extended(arc(node, next(node)), visit(next(node)));
        total += price_(type_of(r), route);
    }
    return total;
}

template <Measure M>
Plan LinkedRoutes<M>::unload() const {
    Plan plan;
    plan.cost = 0.0;
    for (int r = 0; r < num_routes(); ++r) {
        if (is_empty(r)) continue;
        PlanRoute route{type_of(r), {}};
        for (int node = next(start_of(r)); node != end_of(r); node = next(node)) route.customers.push_back(node);
        plan.cost += measure_of(r).cost(instance_.vehicle_type(route.type).tariff());
        plan.routes.push_back(std::move(route));
    }
    return plan;
}

template class LinkedRoutes<CapacityMeasure>;
template class LinkedRoutes<UnprunedMeasure>;
template class LinkedRoutes<JoinedMeasure>;

}  // namespace fripn::search
