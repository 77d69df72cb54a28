// Set partitioning over a pool of routes: the cheapest choice that visits every customer exactly once.
//
// Prices per customer from subgradient steps on the Lagrangian relaxation, made feasible for the dual; routes
// whose reduced cost closes the gap to the best plan are dropped; a depth-first search over what is left,
// bounded in nodes, finishes. Exact for small pools, a heuristic beyond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/limits.h"
#include "search/plan.h"
#include "search/route_pool.h"

namespace fripn::search {

class SetPartition {
public:
    struct Settings {
        int num_steps = 60;         // of the subgradient
        int max_nodes = 20'000;     // of the search
        std::size_t max_columns = 4000;
    };

    SetPartition(const Instance& instance, const Settings& settings);

    // A plan of the pool's routes that costs less than `best`, which must be complete; else one without routes
    // and of infinite cost. The fleet's limits are not looked at.
    Plan operator()(const RoutePool& pool, const Plan& best, const Deadline& deadline);

private:
    struct Column {
        std::size_t route;
        double reduced;
    };

    void start_prices(const Plan& best);
    // Subgradient steps; leaves the best prices found in `price_`.
    void optimise_prices(const RoutePool& pool, double upper, const Deadline& deadline);
    // Lowers prices until no route costs less than its customers' prices, then raises what can be raised.
    void make_feasible(const RoutePool& pool);
    void choose_columns(const RoutePool& pool, double gap);
    void search(double reduced, const Deadline& deadline);

    const int num_customers_;
    const Settings settings_;
    const std::size_t words_;
    std::vector<double> price_;            // per customer, kept from call to call
    bool has_prices_ = false;
    std::vector<double> trial_;
    std::vector<int> cover_;
    std::vector<double> reduced_;
    std::vector<Column> columns_;
    std::vector<std::uint64_t> mask_;      // words_ per column
    std::vector<std::vector<std::size_t>> columns_of_;   // per customer, cheapest reduced cost first
    std::vector<int> order_;               // customers with few columns first
    std::vector<std::uint64_t> covered_;
    std::vector<std::size_t> chosen_;
    std::vector<std::size_t> best_chosen_;
    double gap_ = 0.0;
    int nodes_ = 0;
    int until_check_ = 0;
};

}  // namespace fripn::search
