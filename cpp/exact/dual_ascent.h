// A first lower bound for large instances, without linear programs: dual ascent over q-routes.
//
// For any penalties λ, let b_i be the least share of customer i, by load, in the reduced cost of a route through i. The
// shares of the customers of a route never add up to more than it costs, so Σ (b_i + λ_i) bounds every plan. Routes here
// may return to a customer, but not from the next one; subgradient steps improve λ.
//
// Reference: R. Baldacci, A. Mingozzi, "A unified exact method for solving different classes of vehicle routing problems",
// Math. Program. 120 (2009), doi 10.1007/s10107-008-0218-9.
#pragma once

#include <functional>
#include <vector>

#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

class DualAscent {
public:
    // For symmetric distances only.
    explicit DualAscent(const Problem& problem, int num_threads);

    // Improves the penalties until they stall or `seconds` are over, and reports valid bounds on the way.
    void run(double best_cost, double seconds, const std::function<void(double bound)>& on_bound, const Watch& watch);

    // Penalties to begin with: what each customer adds to the distance of a known plan, at its unit cost.
    void start_from(int customer, double penalty) { penalties_[static_cast<std::size_t>(customer)] = penalty; }

private:
    // The bound at the penalties, and how often the routes behind it cover each customer.
    template <class Real>
    double evaluate(const std::vector<double>& penalties, std::vector<double>* cover, const Watch& watch) const;

    const Problem& problem_;
    const int num_threads_;
    std::vector<double> penalties_;
};

}  // namespace fripn::exact
