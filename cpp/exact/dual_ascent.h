// A first lower bound for large instances, without linear programs: dual ascent over q-routes.
//
// For any penalties λ of customers and μ ≥ 0 of limited types, let b_i be the least share of customer i, by load, in the
// reduced cost of a route through i. The shares of the customers of a route never add up to more than it costs, so
// Σ (b_i + λ_i) - Σ μ_k u_k bounds every plan. Routes here may return to a customer, but not from the next one.
// Subgradient steps improve λ and μ; they count loads coarsely at first and look at arcs between neighbours
// only; what they reach is then evaluated over all arcs, so that every bound reported is valid.
//
// Reference: R. Baldacci, A. Mingozzi, "A unified exact method for solving different classes of vehicle routing problems",
// Math. Program. 120 (2009), doi 10.1007/s10107-008-0218-9.
#pragma once

#include <functional>
#include <vector>

#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

// Lagrangean multipliers.
struct Penalties {
    std::vector<double> customers;     // per stop, 0 for the depot
    std::vector<double> types;         // at least 0; 0 for types that are not limited
};

class DualAscent {
public:
    // For symmetric distances only.
    DualAscent(const Problem& problem, int num_threads);

    // Improves the penalties until they stall or `seconds` are over, and reports valid bounds on the way.
    void run(double best_cost, double seconds, const std::function<void(double bound)>& on_bound, const Watch& watch);

    // Penalties to begin with: what each customer adds to the distance of a known plan, at its unit cost.
    void start_from(int customer, double penalty) { penalties_.customers[static_cast<std::size_t>(customer)] = penalty; }

private:
    // How often the routes behind a bound visit each customer, how many of each type they are, and which they are.
    struct Use {
        std::vector<double> customers, types;
        std::vector<std::vector<int>> routes;
    };

    // The value of penalties over the arcs between neighbours, which is an estimate, or over all arcs (null), which is a
    // bound.
    template <class Real>
    double evaluate(const Problem& problem, const Penalties& penalties, const std::vector<std::vector<int>>* neighbours,
                    Use& use, const Watch& watch) const;
    // A bound by the present penalties; the arcs of the routes behind it join those between neighbours.
    double bound(const Problem& problem, const Watch& watch);
    // Subgradient steps until they stall.
    void climb(const Problem& problem, double best_cost, double end, const Watch& watch);

    const Problem& problem_;
    const int num_threads_;
    std::vector<std::vector<int>> neighbours_;
    Penalties penalties_;
};

}  // namespace fripn::exact
