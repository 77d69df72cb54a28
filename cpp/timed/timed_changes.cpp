// By how much moves change the price of timed routes.
#include "timed/timed_routes.h"

namespace fripn::timed {

double TimedRoutes::distance_by(int from, const Piece& piece, bool is_reversed, int to) const {
    if (is_none(piece)) return distance(from, to);
    const int first = first_of(piece);
    const int last = last_of(piece);
    if (is_reversed) return distance(from, last) + (node(last).backwards - node(first).backwards) + distance(first, to);
    return distance(from, first) + (node(last).along - node(first).along) + distance(last, to);
}

void TimedRoutes::drive(Chain& chain, const Frame& frame, const Piece& piece, bool is_reversed) const {
    if (is_reversed)
        for (int i = last_of(piece); i != piece.before; i = previous(i)) drive(chain, frame, i);
    else
        for (int i = first_of(piece); i != piece.after; i = next(i)) drive(chain, frame, i);
}

Cargo TimedRoutes::changed_cargo(const Route& route, const Piece& out, const Piece& in, std::uint64_t groups) const {
    Cargo cargo = route.outline.cargo;
    for (int l = 0; l < model_.num_loads(); ++l) cargo.load[at(l)] += load_of(in, at(l)) - load_of(out, at(l));
    cargo.stops += stops_of(in) - stops_of(out);
    cargo.groups = groups;
    return cargo;
}

double TimedRoutes::exchange_change(const Exchange& move) const {
    const Piece& a = move.first;
    const Piece& b = move.second;
    const int ra = node(a.before).route;
    const int rb = node(b.before).route;
    if (ra == rb) return inner_exchange_change(move);
    const Route& first = routes_[at(ra)];
    const Route& second = routes_[at(rb)];
    const double first_distance = distance_by(a.before, b, false, a.after);
    const double second_distance = distance_by(b.before, a, move.reverses_first, b.after);
    const int first_stops = stops_of(a);
    const int second_stops = stops_of(b);
    const int first_left = first.size - first_stops + second_stops;
    const int second_left = second.size - second_stops + first_stops;
    if (first_left > 0 && second_left > 0 &&
        cannot_pay(first, first_distance - (node(a.after).along - node(a.before).along), second,
                   second_distance - (node(b.after).along - node(b.before).along),
                   load_of(a) - load_of(b)))
        return infinity;
    double price = 0.0;
    if (first_left > 0) {
        const Frame& frame = model_.frame(first.frame);
        Chain chain = chain_to(a.before);
        drive(chain, frame, b, false);
        finish(chain, frame, a.after);
        price += price_(first.type, {chain.time, changed_cargo(first, a, b, chain.groups)});
    }
    if (second_left > 0) {
        const Frame& frame = model_.frame(second.frame);
        Chain chain = chain_to(b.before);
        drive(chain, frame, a, move.reverses_first);
        finish(chain, frame, b.after);
        price += price_(second.type, {chain.time, changed_cargo(second, b, a, chain.groups)});
    }
    return price - first.price - second.price;
}

double TimedRoutes::inner_exchange_change(const Exchange& move) const {
    // The earlier piece, what lies between, and the later one, which change to later, between, earlier.
    const bool is_first_earlier = position(move.first.before) < position(move.second.before);
    const Piece& early = is_first_earlier ? move.first : move.second;
    const Piece& late = is_first_earlier ? move.second : move.first;
    const bool reverses_early = move.reverses_first && is_first_earlier;
    const bool reverses_late = move.reverses_first && !is_first_earlier;
    const Route& route = routes_[at(node(early.before).route)];
    // Between are the nodes from early.after up to late.before; none when the pieces touch.
    const bool touches = position(early.after) > position(late.before);
    double distance_then = 0.0;
    if (touches) {
        // The later piece directly follows the earlier one.
        if (is_none(late))
            distance_then = distance_by(early.before, early, reverses_early, late.after);
        else if (is_none(early))
            distance_then = distance_by(early.before, late, reverses_late, late.after);
        else
            distance_then = distance_by(early.before, late, reverses_late, reverses_early ? last_of(early) : first_of(early)) +
                            distance_by(reverses_late ? first_of(late) : last_of(late), early, reverses_early, late.after) -
                            distance(reverses_late ? first_of(late) : last_of(late), reverses_early ? last_of(early) : first_of(early));
    } else {
        distance_then = distance_by(early.before, late, reverses_late, early.after) +
                        (node(late.before).along - node(early.after).along) +
                        distance_by(late.before, early, reverses_early, late.after);
    }
    if (cannot_pay(route, distance_then - (node(late.after).along - node(early.before).along))) return infinity;
    const Frame& frame = model_.frame(route.frame);
    Chain chain = chain_to(early.before);
    drive(chain, frame, late, reverses_late);
    if (!touches)
        for (int i = early.after; i != next(late.before); i = next(i)) drive(chain, frame, i);
    drive(chain, frame, early, reverses_early);
    finish(chain, frame, late.after);
    return price_(route.type, {chain.time, route.outline.cargo}) - route.price;
}

double TimedRoutes::tails_change(int first, int second) const {
    const int ra = route_of(first);
    const int rb = route_of(second);
    const Route& a = routes_[at(ra)];
    const Route& b = routes_[at(rb)];
    const int end_a = end_of(ra);
    const int end_b = end_of(rb);
    const int a_next = next(first);
    const int b_before = previous(second);
    const Piece out{first, end_a};
    const Piece in{b_before, end_b};
    const int moved = stops_of(out);
    const int arriving = stops_of(in);
    const int a_left = a.size - moved + arriving;
    const int b_left = b.size - arriving + moved;
    if (a_left > 0 && b_left > 0) {
        const double a_change = distance_by(first, in, false, end_a) - (node(end_a).along - node(first).along);
        const double b_change = distance_by(b_before, out, false, end_b) - (node(end_b).along - node(b_before).along);
        if (cannot_pay(a, a_change, b, b_change, load_of(out) - load_of(in))) return infinity;
    }
    double price = 0.0;
    const bool same_frame = a.frame == b.frame;
    if (a_left > 0) {
        const Frame& frame = model_.frame(a.frame);
        Chain chain = chain_to(first);
        if (same_frame) {
            finish(chain, frame, second);
        } else {
            drive(chain, frame, in, false);
            finish(chain, frame, end_a);
        }
        price += price_(a.type, {chain.time, changed_cargo(a, out, in, chain.groups)});
    }
    if (b_left > 0) {
        const Frame& frame = model_.frame(b.frame);
        Chain chain = chain_to(b_before);
        if (same_frame) {
            finish(chain, frame, a_next);
        } else {
            drive(chain, frame, out, false);
            finish(chain, frame, end_b);
        }
        price += price_(b.type, {chain.time, changed_cargo(b, in, out, chain.groups)});
    }
    return price - a.price - b.price;
}

double TimedRoutes::reversal_change(int before, int last) const {
    const Route& route = routes_[at(route_of(before))];
    const Piece piece{before, next(last)};
    const double then = distance_by(before, piece, true, piece.after);
    if (cannot_pay(route, then - (node(piece.after).along - node(before).along))) return infinity;
    const Frame& frame = model_.frame(route.frame);
    Chain chain = chain_to(before);
    drive(chain, frame, piece, true);
    finish(chain, frame, piece.after);
    return price_(route.type, {chain.time, route.outline.cargo}) - route.price;
}

double TimedRoutes::reversed_heads_change(int first, int second) const {
    const int ra = route_of(first);
    const int rb = route_of(second);
    const Route& a = routes_[at(ra)];
    const Route& b = routes_[at(rb)];
    const int start_b = start_of(rb);
    const int end_a = end_of(ra);
    const Piece out{first, end_a};
    const Piece in{start_b, next(second)};
    const int a_left = a.size - stops_of(out) + stops_of(in);
    const int b_left = b.size - stops_of(in) + stops_of(out);
    if (a_left > 0 && b_left > 0) {
        const double a_change = distance_by(first, in, true, end_a) - (node(end_a).along - node(first).along);
        const double b_change = distance_by(start_b, out, true, in.after) - node(in.after).along;
        if (cannot_pay(a, a_change, b, b_change, load_of(out) - load_of(in))) return infinity;
    }
    double price = 0.0;
    if (a_left > 0) {
        const Frame& frame = model_.frame(a.frame);
        Chain chain = chain_to(first);
        drive(chain, frame, in, true);
        finish(chain, frame, end_a);
        price += price_(a.type, {chain.time, changed_cargo(a, out, in, chain.groups)});
    }
    if (b_left > 0) {
        const Frame& frame = model_.frame(b.frame);
        Chain chain = chain_to(start_b);
        drive(chain, frame, out, true);
        finish(chain, frame, in.after);
        price += price_(b.type, {chain.time, changed_cargo(b, in, out, chain.groups)});
    }
    return price - a.price - b.price;
}

double TimedRoutes::price_with(int customer, int before) const {
    const Route& route = routes_[at(route_of(before))];
    const Frame& frame = model_.frame(route.frame);
    Chain chain = chain_to(before);
    drive(chain, frame, customer);
    finish(chain, frame, next(before));
    Cargo cargo = route.outline.cargo;
    cargo.add(model_.cargo(customer));
    return price_(route.type, {chain.time, cargo});
}

double TimedRoutes::insertion_change(int customer, int before) const {
    return price_with(customer, before) - routes_[at(route_of(before))].price;
}

double TimedRoutes::price_without(int customer) const {
    const Route& route = routes_[at(route_of(customer))];
    if (route.size == 1) return 0.0;
    const Frame& frame = model_.frame(route.frame);
    const Piece out{previous(customer), next(customer)};
    Chain chain = chain_to(out.before);
    finish(chain, frame, out.after);
    return price_(route.type, {chain.time, changed_cargo(route, out, {out.before, customer}, chain.groups)});
}

double TimedRoutes::price_instead(int customer, int before, int without) const {
    const Route& route = routes_[at(route_of(before))];
    const Frame& frame = model_.frame(route.frame);
    const Piece out{previous(without), next(without)};
    Chain chain{};
    if (before == without || before == out.before) {
        chain = chain_to(out.before);
        drive(chain, frame, customer);
        finish(chain, frame, out.after);
    } else if (position(before) < position(without)) {
        chain = chain_to(before);
        drive(chain, frame, customer);
        for (int i = next(before); i != without; i = next(i)) drive(chain, frame, i);
        finish(chain, frame, out.after);
    } else {
        chain = chain_to(out.before);
        for (int i = out.after; i != next(before); i = next(i)) drive(chain, frame, i);
        drive(chain, frame, customer);
        finish(chain, frame, next(before));
    }
    Cargo cargo = route.outline.cargo;
    const Cargo& in = model_.cargo(customer);
    const Cargo& gone = model_.cargo(without);
    for (int l = 0; l < model_.num_loads(); ++l) cargo.load[at(l)] += in.load[at(l)] - gone.load[at(l)];
    cargo.groups = chain.groups;
    return price_(route.type, {chain.time, cargo});
}

}  // namespace fripn::timed
