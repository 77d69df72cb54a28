// Inserting a customer into a route by joining segments: for measures where the detour does not tell the best place.
#pragma once

#include <cstddef>
#include <vector>

#include "instance.h"
#include "measure.h"

namespace fripn::search {

// Call `visit(position, measure of the whole route)` for every place of an absent customer in a route, given as stops
// with the depot at both ends; at `position` p the customer stands behind stops[p - 1].
template <Measure M, class Visit>
void for_each_insertion(const Instance& instance, const std::vector<int>& stops, int customer, Visit&& visit) {
    std::vector<M> rest(stops.size(), M::of(M::visit(instance, 0)));   // rest[i]: from stops[i] to the end
    for (std::size_t i = stops.size() - 1; i > 0; --i)
        rest[i - 1] = rest[i].preceded(M::visit(instance, stops[i - 1]), M::arc(instance, stops[i - 1], stops[i]));
    M head = M::of(M::visit(instance, 0));
    for (std::size_t i = 1; i < stops.size(); ++i) {
        visit(static_cast<int>(i), head.extended(M::arc(instance, stops[i - 1], customer), M::visit(instance, customer))
                                       .joined(M::arc(instance, customer, stops[i]), rest[i]));
        head = head.extended(M::arc(instance, stops[i - 1], stops[i]), M::visit(instance, stops[i]));
    }
}

}  // namespace fripn::search
