#include "baselines/penalised_routes.h"

namespace fripn::baselines {

PenalisedRoutes::PenalisedRoutes(const Instance& instance, double penalty)
    : price_(instance, penalty), routes_(instance, price_) {}

void PenalisedRoutes::load(const Plan& plan) { routes_.load(plan, ++now_); }

double PenalisedRoutes::cost() const {
    double cost = 0.0;
    for (int r = 0; r < routes_.num_routes(); ++r) cost += routes_.price_of(r);
    return cost;
}

bool PenalisedRoutes::is_feasible() const {
    for (int r = 0; r < routes_.num_routes(); ++r)
        if (!routes_.is_empty(r) && !price_.fits(routes_.type_of(r), routes_.measure_of(r))) return false;
    return true;
}

void PenalisedRoutes::set_penalty(double penalty) {
    price_.set_penalty(penalty);
    ++now_;
    for (int r = 0; r < routes_.num_routes(); ++r) routes_.update(r, now_);
}

void PenalisedRoutes::apply(const Move& move) {
    const int first = routes_.route_of(move.exchange.first.before);
    int second = first;
    if (move.kind == Move::Kind::reversal) {
        routes_.reverse(move.exchange.first);
    } else {
        second = routes_.route_of(move.exchange.second.before);
        routes_.exchange(move.exchange);
    }
    ++now_;
    routes_.update(first, now_);
    if (second != first) routes_.update(second, now_);
}

bool PenalisedRoutes::exchange_types(double min_gain) {
    return price_.is_limited() && routes_.exchange_types(min_gain, now_);
}

}  // namespace fripn::baselines
