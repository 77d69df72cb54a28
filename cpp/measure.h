// The measure of a stretch of a route: all that its price depends on, joined with the next stretch in O(1).
//
// The engine is written over a measure as a template parameter. For capacities alone it is (load, distance). A measure
// for timed routes adds duration, time warp, earliest and latest start (T. Vidal et al. 2013, doi
// 10.1016/j.cor.2012.07.018); further loads are a small fixed array beside `load`.
#pragma once

#include <concepts>

#include "instance.h"

namespace fripn {

// What the engine may rely on to save work. All of it holds while load and distance are all that counts; a measure for
// which a property does not hold leaves it out, and the engine joins segments and asks for prices instead.
struct Shortcuts {
    // The measure of a changed route is the old one plus the changes of its load and distance: moves look at the arcs
    // they add and remove, and the measure of a piece is the difference of two prefixes.
    bool adds_changes = true;
    // A route never gets cheaper by a longer distance or a larger load: changes that cannot pay are dropped before a
    // price is asked for.
    bool bounds_by_distance = true;
    // The best place of a customer in a route is that of the shortest detour, whatever the route carries: the best places
    // are found once per customer and version of a route.
    bool places_by_detour = true;
    // A type that holds the load can drive the route: the options of a load class need no further look.
    bool fits_by_load = true;
};

template <class M>
concept Measure = std::copyable<M> &&
    requires(const M measure, const Instance& instance, int stop, const VehicleType& type, const Tariff& tariff,
             typename M::Arc arc, typename M::Visit visit, typename M::Limit limit, typename M::Penalty penalty) {
    requires std::same_as<const Shortcuts, decltype(M::shortcuts)>;
    // What lies between two stops, what a stop adds, and what a vehicle type allows.
    { M::arc(instance, stop, stop) } -> std::same_as<typename M::Arc>;
    { M::visit(instance, stop) } -> std::same_as<typename M::Visit>;
    { M::limit(type) } -> std::same_as<typename M::Limit>;
    // The load by which the fleet is divided into classes (see FleetCost).
    { measure.load } -> std::convertible_to<double>;
    // One stop; this stretch and one more stop, behind it or before it; two stretches; and the arc back to the depot.
    { M::of(visit) } -> std::same_as<M>;
    { measure.extended(arc, visit) } -> std::same_as<M>;
    { measure.preceded(visit, arc) } -> std::same_as<M>;
    { measure.joined(arc, measure) } -> std::same_as<M>;
    { measure.closed(arc) } -> std::same_as<M>;
    // As a whole route: whether a vehicle may drive it, what that costs, and the price with a penalty for what is too much.
    { measure.fits(limit) } -> std::same_as<bool>;
    { measure.cost(tariff) } -> std::same_as<double>;
    { measure.excess(limit) } -> std::same_as<double>;
    { measure.price(tariff, limit, penalty) } -> std::same_as<double>;
};

template <Shortcuts S>
struct LoadDistance {
    using Arc = double;      // distance
    using Visit = double;    // demand
    using Limit = double;    // of the load
    using Penalty = double;  // per unit of overload

    static constexpr Shortcuts shortcuts = S;

    double load = 0.0;
    double distance = 0.0;

    [[nodiscard]] static Arc arc(const Instance& instance, int from, int to) { return instance.distance(from, to); }
    [[nodiscard]] static Visit visit(const Instance& instance, int stop) { return instance.demand(stop); }
    [[nodiscard]] static Limit limit(const VehicleType& type) { return type.load_limit; }

    [[nodiscard]] static LoadDistance of(Visit demand) { return {demand, 0.0}; }
    [[nodiscard]] LoadDistance extended(Arc arc, Visit demand) const { return {load + demand, distance + arc}; }
    [[nodiscard]] LoadDistance preceded(Visit demand, Arc arc) const { return {load + demand, distance + arc}; }
    [[nodiscard]] LoadDistance joined(Arc arc, const LoadDistance& next) const {
        return {load + next.load, distance + arc + next.distance};
    }
    [[nodiscard]] LoadDistance closed(Arc arc) const { return {load, distance + arc}; }
    [[nodiscard]] LoadDistance changed(double load_change, double distance_change) const requires(S.adds_changes) {
        return {load + load_change, distance + distance_change};
    }

    [[nodiscard]] bool fits(Limit limit) const { return load <= limit; }
    [[nodiscard]] double excess(Limit limit) const { return load - limit > 0.0 ? load - limit : 0.0; }

    // The cost of a route, and its price with the penalty on overload. The formula stands here and nowhere else in the
    // engine; the order of its operations is part of it (fixed seeds give the same plans to the last bit).
    [[nodiscard]] double cost(const Tariff& tariff) const { return tariff.fixed_cost + tariff.unit_cost * distance; }
    [[nodiscard]] double price(const Tariff& tariff, Limit limit, Penalty penalty) const {
        return cost(tariff) + penalty * excess(limit);
    }
};

using CapacityMeasure = LoadDistance<Shortcuts{}>;

// Tabu search compares changes that do not pay, too: it must know them exactly.
using UnprunedMeasure = LoadDistance<Shortcuts{.bounds_by_distance = false}>;

// The same figures without any shortcut: the path that a timed measure takes, compiled and compared with the others in
// the tests.
using JoinedMeasure = LoadDistance<Shortcuts{
    .adds_changes = false, .bounds_by_distance = false, .places_by_detour = false, .fits_by_load = false}>;

static_assert(Measure<CapacityMeasure> && Measure<UnprunedMeasure> && Measure<JoinedMeasure>);

}  // namespace fripn
