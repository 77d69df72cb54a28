// The master problem: a linear program over the routes found so far, and its dual values.
//
// min Σ cost_r λ_r with each customer covered, Σ of type k = y_k, bounds on y, and cuts on y, on arcs and on subsets of
// rows. Covering is "at least once" where the triangle inequality holds, "exactly once" elsewhere: the first is a
// relaxation in any case. Artificial columns on customers, types and rows with a lower bound on arcs keep it feasible; the
// one of a customer counts in capacity cuts like a vehicle that serves it alone.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_set>
#include <vector>

#include "cost.h"
#include "exact/lp.h"
#include "exact/pricing.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

// Σ weights_k y_k ≥ least.
struct FleetCut {
    std::vector<double> weights;
    double least;
};

// Σ of the number of times routes use the arcs, between two bounds.
struct ArcRow {
    std::vector<std::pair<int, int>> arcs;
    double lower;
    double upper;
};

// Σ weights of the types times the number of times their routes leave a set of customers ≥ least.
struct CapacityCut {
    std::vector<int> members;
    std::vector<char> is_member;      // per stop
    std::vector<double> weights;      // per group of types
    double least;

    // How often a route leaves the set.
    [[nodiscard]] int times_leaving(const std::vector<int>& customers) const;
};

// Without weights: each type counts 1.
[[nodiscard]] CapacityCut to_capacity_cut(const Problem& problem, const std::vector<int>& members,
                                          std::vector<double> weights, double least);

// Adds the dual value of a capacity cut to the prices of arcs (groups × stops × stops, or empty). A route enters a set as
// often as it leaves it: half of the value each keeps the prices symmetric.
void charge(const CapacityCut& cut, double dual, std::vector<double>& arcs);

// Σ ⌊visits to the members / 2⌋ ≤ ⌊|members| / 2⌋, with limited memory.
struct SubsetCut {
    std::vector<int> members;
    std::vector<char> is_member;      // per stop
    std::vector<char> is_memory;      // per stop; members included

    [[nodiscard]] int limit() const { return static_cast<int>(members.size()) / 2; }
};

// Dual values and what they prove once the least reduced costs are known.
struct DualPoint {
    Prices prices;
    double base = 0.0;                     // value of all rows but the bounds on the number of vehicles
    std::vector<double> type_excess;       // reduced cost of y_k: what pricing does not see of a vehicle's price
};

class Master {
public:
    Master(const Problem& problem, const LpSolver& solver, double artificial_cost);

    // Columns that are there already are left out; says how many were new.
    int add_columns(const std::vector<Column>& columns);
    void add_fleet_cut(const FleetCut& cut);
    void add_subset_cuts(const std::vector<SubsetCut>& cuts);
    void add_capacity_cuts(const std::vector<CapacityCut>& cuts);
    // Replaces all rows on arcs.
    void set_arc_rows(const std::vector<ArcRow>& rows);
    void set_fleet_bounds(int type, double lower, double upper);
    // Drops cuts without dual value in the last solution, and route columns whose reduced cost is above `limit`.
    void drop_idle_cuts();
    int drop_columns(double limit, const DualPoint& point);
    // Drops every route column for which `is_wanted` is false.
    template <class Predicate>
    int keep_columns_if(const Predicate& is_wanted);

    LpStatus solve(const Watch& watch);
    // Solves it and returns the objective: infinity when it is infeasible, minus infinity when HiGHS gives up.
    double value(const Watch& watch);
    // The same without the routes for which `is_excluded` is true; they are there again afterwards.
    template <class Predicate>
    double value_without(const Predicate& is_excluded, const Watch& watch);

    [[nodiscard]] DualPoint dual_point() const { return dual_point(duals()); }
    // The same for other dual values, one per row; signs that prove nothing count as 0.
    [[nodiscard]] DualPoint dual_point(const std::vector<double>& duals) const;
    [[nodiscard]] const std::vector<double>& duals() const { return program_->duals(); }
    [[nodiscard]] double objective() const { return program_->objective(); }
    [[nodiscard]] double artificial_value() const;
    [[nodiscard]] double fleet_value(int type) const { return program_->values()[static_cast<std::size_t>(type)]; }
    // Calls visit(column, value) for every route in the solution.
    template <class Visit>
    void for_each_used(const Visit& visit) const;
    // All columns of routes, and with a negative type artificial ones.
    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
    [[nodiscard]] const std::vector<FleetCut>& fleet_cuts() const { return fleet_cuts_; }
    [[nodiscard]] const std::vector<SubsetCut>& subset_cuts() const { return subset_cuts_; }
    [[nodiscard]] const std::vector<CapacityCut>& capacity_cuts() const { return capacity_cuts_; }
    [[nodiscard]] double fleet_lower(int type) const { return fleet_lower_[static_cast<std::size_t>(type)]; }
    [[nodiscard]] double fleet_upper(int type) const { return fleet_upper_[static_cast<std::size_t>(type)]; }
    void set_artificial_cost(double cost);
    // Whether the bounds on vehicles contradict each other or a fleet cut: the only way for the program to be infeasible.
    [[nodiscard]] bool has_impossible_fleet() const;

private:
    // Which row a line of the program is, beyond customers and types, in their order.
    enum class RowKind { fleet, arcs, subset, capacity };

    void append_entries(const Column& column, Entries& entries) const;
    [[nodiscard]] double row_coefficient(RowKind kind, int index, const Column& column) const;
    void add_row(RowKind kind, int index);
    void delete_rows(const std::vector<char>& is_deleted);
    // Drops the cuts of one sort whose rows are deleted and numbers the others again.
    template <class Cut>
    void drop_cuts(RowKind kind, const std::vector<char>& is_deleted, std::vector<Cut>& cuts);
    void delete_columns(const std::vector<char>& is_deleted);

    const Problem& problem_;
    std::unique_ptr<LinearProgram> program_;
    const int first_route_;                  // columns before: y_k, then artificial ones of customers and types
    double artificial_cost_;
    bool rows_changed_ = true;
    std::vector<Column> columns_;            // artificial ones of arc rows have a negative type
    std::unordered_multiset<std::size_t> known_;
    std::vector<double> fleet_lower_, fleet_upper_;
    std::vector<FleetCut> fleet_cuts_;
    std::vector<ArcRow> arc_rows_;
    std::vector<std::vector<char>> arc_sets_;   // per arc row, stops × stops
    std::vector<SubsetCut> subset_cuts_;
    std::vector<CapacityCut> capacity_cuts_;
    std::vector<std::pair<RowKind, int>> extra_rows_;
};

template <class Predicate>
int Master::keep_columns_if(const Predicate& is_wanted) {
    std::vector<char> is_deleted(static_cast<std::size_t>(first_route_) + columns_.size(), 0);
    int deleted = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].type >= 0 && !is_wanted(columns_[c])) {
            is_deleted[static_cast<std::size_t>(first_route_) + c] = 1;
            ++deleted;
        }
    if (deleted > 0) delete_columns(is_deleted);
    return deleted;
}

template <class Predicate>
double Master::value_without(const Predicate& is_excluded, const Watch& watch) {
    std::vector<int> excluded;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].type >= 0 && is_excluded(columns_[c])) excluded.push_back(first_route_ + static_cast<int>(c));
    for (const int column : excluded) program_->set_column_bounds(column, 0.0, 0.0);
    rows_changed_ = true;
    const double result = value(watch);
    for (const int column : excluded) program_->set_column_bounds(column, 0.0, infinity);
    rows_changed_ = true;
    return result;
}

template <class Visit>
void Master::for_each_used(const Visit& visit) const {
    constexpr double nothing = 1e-6;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double value = program_->values()[static_cast<std::size_t>(first_route_) + c];
        if (columns_[c].type >= 0 && value > nothing) visit(columns_[c], value);
    }
}

}  // namespace fripn::exact
