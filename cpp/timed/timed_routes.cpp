#include "timed/timed_routes.h"

#include <algorithm>
#include <utility>

namespace fripn::timed {

TimedRoutes::TimedRoutes(const Model& model, const TimedPrice& price)
    : model_(model), price_(price), num_customers_(model.num_customers()) {
    for (const Frame& frame : model.frames()) has_open_ |= !frame.returns;
    nodes_.resize(at(num_customers_) + 1);
    times_.resize(at(num_customers_) + 1);
    for (int c = 1; c <= num_customers_; ++c) {
        nodes_[at(c)].stop = c;
        times_[at(c)].own = model.stop(c, 0);
    }
}

int TimedRoutes::add_route(int type) {
    const int route = num_routes();
    nodes_.resize(at(end_of(route)) + 1);
    times_.resize(nodes_.size());
    routes_.emplace_back();
    nodes_[at(start_of(route))].route = nodes_[at(end_of(route))].route = route;
    set_type(route, type);
    if (price_.is_limited()) ++used_[at(type)];
    return route;
}

void TimedRoutes::set_type(int route, int type) {
    Route& r = routes_[at(route)];
    r.type = type;
    r.frame = model_.type(type).frame;
    const Frame& frame = model_.frame(r.frame);
    Node& start = nodes_[at(start_of(route))];
    Node& end = nodes_[at(end_of(route))];
    start.stop = end.stop = frame.depot;
    times_[at(start_of(route))].own = frame.start;
    times_[at(end_of(route))].own = frame.end;
}

void TimedRoutes::load(const Plan& plan, long now) {
    routes_.clear();
    nodes_.resize(at(num_customers_) + 1);
    times_.resize(at(num_customers_) + 1);
    used_.assign(at(model_.num_types()), 0);
    absent_.clear();
    for (int c = 1; c <= num_customers_; ++c) nodes_[at(c)].route = -1;
    std::vector<const PlanRoute*> homeless;
    const auto seat = [&](const PlanRoute& from, int type) {
        const int route = add_route(type);
        if (model_.has_choices()) {
            const std::vector<int> choices = model_.choose_windows(model_.frame(routes_[at(route)].frame), from.customers);
            for (std::size_t i = 0; i < choices.size(); ++i)
                times_[at(from.customers[i])].own = model_.stop(from.customers[i], choices[i]);
        }
        fill(route, from.customers, now);
    };
    for (const PlanRoute& from : plan.routes) {
        if (from.customers.empty()) continue;
        if (price_.is_limited() && !is_free(from.type)) homeless.push_back(&from);
        else seat(from, from.type);
    }
    for (const PlanRoute* from : homeless) {
        Outline outline;
        outline.cargo = model_.cargo_of(from->customers);
        int best = -1;
        double least = infinity;
        for (int k = 0; k < model_.num_types(); ++k) {
            if (!is_free(k) || (outline.cargo.groups & model_.type(k).group) == 0) continue;
            outline.time = model_.drive(model_.frame(model_.type(k).frame), from->customers);
            const double price = price_.with_type(k, outline);
            if (price < least) {
                least = price;
                best = k;
            }
        }
        if (best >= 0) seat(*from, best);
    }
    for (int c = 1; c <= num_customers_; ++c)
        if (node(c).route < 0) absent_.push_back(c);
    add_spares(now);
}

void TimedRoutes::add_spares(long now) {
    const auto has_empty = [&](auto is_wanted) {
        for (int r = 0; r < num_routes(); ++r)
            if (is_empty(r) && is_wanted(routes_[at(r)])) return true;
        return false;
    };
    if (price_.is_limited()) {
        for (int k = 0; k < model_.num_types(); ++k)
            if (is_free(k) && !has_empty([&](const Route& r) { return r.type == k; })) fill(add_route(k), {}, now);
        return;
    }
    for (int f = 0; f < static_cast<int>(model_.frames().size()); ++f)
        if (!model_.frame(f).types.empty() && !has_empty([&](const Route& r) { return r.frame == f; }))
            fill(add_route(model_.frame(f).types.front()), {}, now);
}

Plan TimedRoutes::unload() const {
    Plan plan;
    plan.cost = 0.0;
    for (int r = 0; r < num_routes(); ++r) {
        const Route& route = routes_[at(r)];
        if (route.size == 0) continue;
        plan.routes.push_back({route.type, customers_of(r)});
        plan.cost += model_.type(route.type).cost(route.outline.time.distance, route.outline.time.duration);
    }
    return plan;
}

Amounts TimedRoutes::excess() const {
    Amounts sum;
    for (const Route& route : routes_)
        if (route.size > 0) sum.add(price_.excess(route.type, route.outline));
    return sum;
}

std::vector<int> TimedRoutes::customers_of(int route) const {
    std::vector<int> customers;
    customers.reserve(at(routes_[at(route)].size));
    for (int i = next(start_of(route)); !is_depot(i); i = next(i)) customers.push_back(i);
    return customers;
}

void TimedRoutes::fill(int route, const std::vector<int>& customers, long now) {
    int last = start_of(route);
    for (const int c : customers) {
        nodes_[at(last)].next = c;
        nodes_[at(c)].previous = last;
        last = c;
    }
    nodes_[at(last)].next = end_of(route);
    nodes_[at(end_of(route))].previous = last;
    update(route, now);
}

void TimedRoutes::update(int route, long now) {
    Route& r = routes_[at(route)];
    const Frame& frame = model_.frame(r.frame);
    const int start = start_of(route);
    const int end = end_of(route);
    Node& first = nodes_[at(start)];
    first.previous = start;
    first.position = 0;
    first.along = first.backwards = first.load = 0.0;
    times_[at(start)].head = frame.start;
    times_[at(start)].load = Loads{};
    times_[at(start)].head_groups = ~std::uint64_t{0};
    for (int i = first.next, before = start; before != end; before = i, i = node(i).next) {
        Node& here = nodes_[at(i)];
        Times& its = times_[at(i)];
        const Node& last = node(before);
        here.route = route;
        here.position = last.position + 1;
        its.head = times(before).head.joined(arc(frame, before, i), its.own);
        its.load = times(before).load;
        its.head_groups = times(before).head_groups;
        here.backwards = last.backwards;
        if (i != end) {
            const Cargo& cargo = model_.cargo(i);
            for (int l = 0; l < model_.num_loads(); ++l) its.load[at(l)] += cargo.load[at(l)];
            its.head_groups &= cargo.groups;
            if (before != start) here.backwards += model_.distance(i, before);
        }
        here.along = its.head.distance;
        here.load = its.load[0];
    }
    nodes_[at(end)].next = end;
    times_[at(end)].tail = frame.end;
    times_[at(end)].tail_groups = ~std::uint64_t{0};
    for (int i = end; i != start;) {
        const int after = i;
        i = node(i).previous;
        Times& its = times_[at(i)];
        its.tail = its.own.joined(arc(frame, i, after), times(after).tail);
        its.tail_groups = times(after).tail_groups;
        if (i != start) its.tail_groups &= model_.cargo(i).groups;
    }
    const Times& last = times(end);
    r.size = node(end).position - 1;
    r.changed_at = now;
    r.outline.time = last.head;
    r.outline.cargo = {last.load, last.head_groups, r.size};
    set_price(r);
}

void TimedRoutes::set_price(Route& route) const {
    if (route.size == 0) {
        route.price = 0.0;
        route.rate = 0.0;
        route.hurt = infinity;   // a new vehicle: nothing can be said
        route.relief = 0.0;
        return;
    }
    if (!price_.is_limited()) route.type = price_.best_type(route.type, route.outline);
    route.price = price_(route.type, route.outline);
    const TypeRules& rules = model_.type(route.type);
    const Stretch& time = route.outline.time;
    const double cost = rules.cost(time.distance, time.duration);
    route.rate = rules.tariff.unit_cost;
    route.hurt = route.price - cost;
    route.relief = infinity;
    if (rules.time_cost > 0.0) {
        // Time passes with the distance where it comes from it; all beyond that might be saved.
        if (model_.times_are_distances()) {
            const double factor = model_.frame(route.frame).factor;
            double service = 0.0;
            for (int i = next(start_of(static_cast<int>(&route - routes_.data()))); !is_depot(i); i = next(i))
                service += model_.service(i);
            route.rate += rules.time_cost * factor;
            route.hurt += rules.time_cost * std::max(0.0, time.duration - service - factor * time.distance);
        } else {
            route.hurt = infinity;
        }
    }
    if (price_.is_limited()) return;
    for (const int k : model_.frame(route.frame).types) {
        const TypeRules& other = model_.type(k);
        if (k == route.type || other.cost(time.distance, time.duration) >= cost) continue;
        const double over = route.outline.cargo.load[0] - other.limit[0];
        route.relief = over > 0.0 ? std::min(route.relief, over) : 0.0;
    }
}

double TimedRoutes::total_price() const {
    double total = 0.0;
    for (const Route& route : routes_) total += route.price;
    return total;
}

double TimedRoutes::recomputed_price() const {
    double total = 0.0;
    for (int r = 0; r < num_routes(); ++r)
        if (!is_empty(r)) total += price_(type_of(r), outline_in(r, model_.frame(frame_of(r))));
    return total;
}

Outline TimedRoutes::outline_in(int route, const Frame& frame) const {
    Outline outline{frame.start, Cargo{}};
    int last = -1;
    for (int i = next(start_of(route)); !is_depot(i); i = next(i)) {
        outline.time = outline.time.joined(last < 0 ? model_.arc_from_depot(frame, i) : model_.arc(frame, last, i), times(i).own);
        outline.cargo.add(model_.cargo(i));
        last = i;
    }
    outline.time = outline.time.joined(model_.arc_to_end(frame, last), frame.end);
    return outline;
}

double TimedRoutes::price_in(int route, int type) const {
    if (is_empty(route)) return 0.0;
    const int frame = model_.type(type).frame;
    if (frame == frame_of(route)) return price_(type, routes_[at(route)].outline);
    return price_(type, outline_in(route, model_.frame(frame)));
}

void TimedRoutes::append(std::vector<int>& to, const Piece& piece, bool is_reversed) const {
    if (is_reversed)
        for (int i = last_of(piece); i != piece.before; i = previous(i)) to.push_back(i);
    else
        for (int i = first_of(piece); i != piece.after; i = next(i)) to.push_back(i);
}

void TimedRoutes::exchange(const Exchange& move, long now) {
    const int ra = route_of(move.first.before);
    const int rb = route_of(move.second.before);
    scratch_.clear();
    other_.clear();
    if (ra != rb) {
        append(scratch_, {start_of(ra), next(move.first.before)}, false);
        append(scratch_, move.second, false);
        append(scratch_, {previous(move.first.after), end_of(ra)}, false);
        append(other_, {start_of(rb), next(move.second.before)}, false);
        append(other_, move.first, move.reverses_first);
        append(other_, {previous(move.second.after), end_of(rb)}, false);
        fill(ra, scratch_, now);
        fill(rb, other_, now);
        return;
    }
    const bool is_first_earlier = position(move.first.before) < position(move.second.before);
    const Piece early = is_first_earlier ? move.first : move.second;
    const Piece late = is_first_earlier ? move.second : move.first;
    append(scratch_, {start_of(ra), next(early.before)}, false);
    append(scratch_, late, move.reverses_first && !is_first_earlier);
    if (position(early.after) <= position(late.before)) append(scratch_, {previous(early.after), next(late.before)}, false);
    append(scratch_, early, move.reverses_first && is_first_earlier);
    append(scratch_, {previous(late.after), end_of(ra)}, false);
    fill(ra, scratch_, now);
}

void TimedRoutes::exchange_tails(int first, int second, long now) {
    const int ra = route_of(first);
    const int rb = route_of(second);
    scratch_.clear();
    other_.clear();
    for (int i = start_of(ra); i != next(first); i = next(i))
        if (!is_depot(i)) scratch_.push_back(i);
    for (int i = start_of(rb); i != second; i = next(i))
        if (!is_depot(i)) other_.push_back(i);
    for (int i = second; !is_depot(i); i = next(i)) scratch_.push_back(i);
    for (int i = next(first); !is_depot(i); i = next(i)) other_.push_back(i);
    fill(ra, scratch_, now);
    fill(rb, other_, now);
}

void TimedRoutes::reverse(int before, int last, long now) {
    const int route = route_of(before);
    scratch_ = customers_of(route);
    std::reverse(scratch_.begin() + position(before), scratch_.begin() + position(last));
    fill(route, scratch_, now);
}

void TimedRoutes::exchange_reversed_heads(int first, int second, long now) {
    const int ra = route_of(first);
    const int rb = route_of(second);
    scratch_.clear();
    other_.clear();
    for (int i = start_of(ra); i != next(first); i = next(i))
        if (!is_depot(i)) scratch_.push_back(i);
    for (int i = second; !is_depot(i); i = previous(i)) scratch_.push_back(i);
    for (int i = previous(end_of(ra)); i != first; i = previous(i)) other_.push_back(i);
    for (int i = next(second); !is_depot(i); i = next(i)) other_.push_back(i);
    fill(ra, scratch_, now);
    fill(rb, other_, now);
}

void TimedRoutes::insert(int customer, int before, long now) {
    const int route = route_of(before);
    const int after = next(before);
    nodes_[at(before)].next = customer;
    nodes_[at(customer)].previous = before;
    nodes_[at(customer)].next = after;
    nodes_[at(after)].previous = customer;
    update(route, now);
}

void TimedRoutes::swap_to(int first, int first_before, int second, int second_before, long now) {
    const int ra = route_of(first);
    const int rb = route_of(second);
    const auto rebuild = [&](int route, int gone, int arriving, int before, std::vector<int>& to) {
        to.clear();
        for (int i = start_of(route); i != end_of(route); i = next(i)) {
            if (!is_depot(i) && i != gone) to.push_back(i);
            if (i == before) to.push_back(arriving);
        }
    };
    rebuild(ra, first, second, second_before, scratch_);
    rebuild(rb, second, first, first_before, other_);
    fill(ra, scratch_, now);
    fill(rb, other_, now);
}

bool TimedRoutes::reassign_types(double min_gain, long& now) {
    return price_.is_limited() ? exchange_vehicles(min_gain, now) : choose_frames(min_gain, now);
}

bool TimedRoutes::exchange_vehicles(double min_gain, long& now) {
    bool improved = false;
    const auto num_types = at(model_.num_types());
    if (num_types == 1) return false;
    std::vector<double> in_type(at(num_routes()) * num_types, -1.0);
    const auto price_of_route_in = [&](int route, int type) {
        double& price = in_type[at(route) * num_types + at(type)];
        if (price < 0.0) price = price_in(route, type);
        return price;
    };
    for (int a = 0; a < num_routes(); ++a)
        for (int b = a + 1; b < num_routes(); ++b) {
            const int ka = type_of(a);
            const int kb = type_of(b);
            if (ka == kb || (is_empty(a) && is_empty(b))) continue;
            const double change = price_of_route_in(a, kb) + price_of_route_in(b, ka) - price_of(a) - price_of(b);
            if (change >= -min_gain) continue;
            ++now;
            set_type(a, kb);
            set_type(b, ka);
            update(a, now);
            update(b, now);
            improved = true;
        }
    if (improved) add_spares(now);
    return improved;
}

bool TimedRoutes::choose_frames(double min_gain, long& now) {
    bool improved = false;
    const auto num_frames = static_cast<int>(model_.frames().size());
    if (num_frames == 1) return false;
    for (int r = 0; r < num_routes(); ++r) {
        if (is_empty(r)) continue;
        int best = frame_of(r);
        double least = price_of(r) - min_gain;
        for (int f = 0; f < num_frames; ++f) {
            if (f == frame_of(r) || model_.frame(f).types.empty()) continue;
            const double price = price_in(r, model_.frame(f).types.front());
            if (price < least) {
                least = price;
                best = f;
            }
        }
        if (best == frame_of(r)) continue;
        set_type(r, model_.frame(best).types.front());
        update(r, ++now);
        improved = true;
    }
    return improved;
}

bool TimedRoutes::rechoose_windows(double min_gain, long& now) {
    bool improved = false;
    if (!model_.has_choices()) return false;
    std::vector<Stretch> before;
    for (int r = 0; r < num_routes(); ++r) {
        if (is_empty(r)) continue;
        const std::vector<int> customers = customers_of(r);
        const std::vector<int> choices = model_.choose_windows(model_.frame(frame_of(r)), customers);
        before.clear();
        const double price = price_of(r);
        for (std::size_t i = 0; i < customers.size(); ++i) {
            before.push_back(times(customers[i]).own);
            times_[at(customers[i])].own = model_.stop(customers[i], choices[i]);
        }
        const long changed_at = routes_[at(r)].changed_at;
        update(r, now + 1);
        if (price_of(r) < price - min_gain) {
            ++now;
            improved = true;
            continue;
        }
        for (std::size_t i = 0; i < customers.size(); ++i) times_[at(customers[i])].own = before[i];
        update(r, changed_at);
    }
    return improved;
}

}  // namespace fripn::timed
