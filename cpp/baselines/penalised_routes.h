// The routes of tabu search and of the genetic algorithm's local search: the engine's, with overload at a price.
#pragma once

#include "baselines/engine_parts.h"
#include "instance.h"
#include "measure.h"
#include "search/linked_routes.h"
#include "search/plan.h"
#include "search/route_price.h"

namespace fripn::baselines {

// One change of routes; `change` is its effect on the price.
struct Move {
    enum class Kind { none, exchange, reversal };
    Kind kind = Kind::none;
    double change = infinity;
    bool is_inner = false;   // within one route
    Exchange exchange{};   // a reversal has its piece in `first`
};

class PenalisedRoutes {
public:
    // Changes that do not pay are compared, too, so none is dropped unseen.
    using Routes = LinkedRoutes<UnprunedMeasure>;

    PenalisedRoutes(const Instance& instance, double penalty);
    PenalisedRoutes(const PenalisedRoutes&) = delete;
    PenalisedRoutes& operator=(const PenalisedRoutes&) = delete;

    void load(const Plan& plan);
    [[nodiscard]] Plan unload() const { return routes_.unload(); }

    [[nodiscard]] const Routes& routes() const { return routes_; }
    // With penalties.
    [[nodiscard]] double cost() const;
    [[nodiscard]] bool is_feasible() const;
    void set_penalty(double penalty);

    // Vehicles that no route uses yet are at hand after this: one, or one of each type of a limited fleet.
    void add_spares() { routes_.add_spares(++now_); }
    void apply(const Move& move);
    // Let the vehicles of a limited fleet change routes where that lowers the price by more than `min_gain`; true when one did.
    bool exchange_types(double min_gain);

private:
    RoutePrice<UnprunedMeasure> price_;
    Routes routes_;
    long now_ = 0;
};

}  // namespace fripn::baselines
