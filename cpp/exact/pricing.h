// Routes of negative reduced cost, and the least reduced cost per vehicle type.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exact/labelling.h"
#include "exact/ng_sets.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

// A route with its type (an index into Problem::types). An ng-route may visit a customer more than once.
struct Column {
    int type;
    double cost;
    std::vector<int> customers;
};

// What pricing charges: the dual values of the master problem.
struct Prices {
    std::vector<double> customers;     // per stop, 0 for the depot: taken off for each visit
    std::vector<double> types;         // fixed cost less the dual value of the type's row
    std::vector<double> arcs;          // groups × stops × stops, taken off for each arc; empty when there are none
    CutStates cuts;
};

// Which arcs a type group may use; all at first.
class ArcSet {
public:
    explicit ArcSet(const Problem& problem);

    [[nodiscard]] bool has(int group, int i, int j) const { return allowed_[index(group, i, j)] != 0; }
    void remove(int group, int i, int j) { allowed_[index(group, i, j)] = 0; }
    [[nodiscard]] std::size_t size() const;

private:
    [[nodiscard]] std::size_t index(int group, int i, int j) const {
        return (static_cast<std::size_t>(group) * stops_ + static_cast<std::size_t>(i)) * stops_ + static_cast<std::size_t>(j);
    }
    std::size_t stops_;
    std::vector<char> allowed_;
};

enum class Effort { relaxed_dominance, exact };

struct PricingOutcome {
    std::vector<Column> columns;       // of reduced cost below the tolerance, cheapest first within a type
    std::vector<double> least;         // per type: no route has a smaller reduced cost (after exact pricing only)
    std::size_t num_labels = 0;
};

struct PricingSettings {
    int max_columns = 60;              // per type and call
    int max_columns_per_node = 3;      // that end their first half at the same customer
    int num_threads = 1;
};

// Cost of going from i to j at [j * stops + i], for a group's unit cost: half the price of a customer on each side.
[[nodiscard]] std::vector<double> priced_arcs(const Problem& problem, const ArcSet& arcs, const Prices& prices, int group);

// The same with the directions exchanged.
[[nodiscard]] std::vector<double> reversed(const Problem& problem, const std::vector<double>& arcs_into);

// Price all types that `is_open`. Routes count as negative below `-tolerance`.
[[nodiscard]] PricingOutcome price(const Problem& problem, const NgSets& ng_sets, const ArcSet& arcs, const Prices& prices,
                                   const std::vector<char>& is_open, Effort effort, double tolerance,
                                   const PricingSettings& settings, const Watch& watch);

// Reduced cost of a route, by going along it (for tests and for routes that pricing did not make).
[[nodiscard]] double reduced_cost(const Problem& problem, const Prices& prices, int type, const std::vector<int>& customers);

// How often a route counts in a cut: ⌊visits / 2⌋, visits before the route leaves the memory of the cut.
[[nodiscard]] int cut_coefficient(const std::vector<char>& is_member, const std::vector<char>& is_memory,
                                  const std::vector<int>& customers);

}  // namespace fripn::exact
