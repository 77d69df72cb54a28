#include "exact/master.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::size_t hash_of(const Column& column) {
    std::size_t hash = at(column.type) + 0x9E3779B97F4A7C15ULL;
    for (const int c : column.customers) hash = (hash ^ at(c)) * 0x100000001B3ULL + (hash >> 29);
    return hash;
}

bool is_same(const Column& a, const Column& b) { return a.type == b.type && a.customers == b.customers; }

}  // namespace

int CapacityCut::times_leaving(const std::vector<int>& customers) const {
    int count = 0;
    for (std::size_t p = 0; p < customers.size(); ++p)
        if (is_member[at(customers[p])] && (p + 1 == customers.size() || !is_member[at(customers[p + 1])])) ++count;
    return count;
}

CapacityCut to_capacity_cut(const Problem& problem, const std::vector<int>& members, std::vector<double> weights,
                            double least) {
    if (weights.empty()) weights.assign(problem.groups().size(), 1.0);
    CapacityCut cut{members, std::vector<char>(at(problem.num_stops()), 0), std::move(weights), least};
    for (const int i : members) cut.is_member[at(i)] = 1;
    return cut;
}

void charge(const CapacityCut& cut, double dual, std::vector<double>& arcs) {
    const std::size_t stops = cut.is_member.size();
    if (arcs.empty()) arcs.assign(cut.weights.size() * stops * stops, 0.0);
    for (std::size_t g = 0; g < cut.weights.size(); ++g) {
        const double half = 0.5 * dual * cut.weights[g];
        double* const prices = &arcs[g * stops * stops];
        if (half == 0.0) continue;
        for (const int i : cut.members)
            for (std::size_t j = 0; j < stops; ++j) {
                if (cut.is_member[j]) continue;
                prices[at(i) * stops + j] += half;
                prices[j * stops + at(i)] += half;
            }
    }
}

Master::Master(const Problem& problem, const LpSolver& solver, double artificial_cost)
    : problem_(problem), program_(solver.linear_program()),
      first_route_(2 * problem.num_types() + problem.num_customers()), artificial_cost_(artificial_cost) {
    const int n = problem.num_customers();
    const int types = problem.num_types();
    std::vector<double> lower(at(n), 1.0), upper(at(n), problem.has_triangle_inequality() ? infinity : 1.0);
    lower.resize(at(n + types), 0.0);
    upper.resize(at(n + types), 0.0);
    Entries none;
    for (int r = 0; r < n + types; ++r) none.end_item();
    program_->add_rows(lower, upper, none);
    std::vector<double> costs(at(types), 0.0), column_lower(at(first_route_), 0.0), column_upper;
    Entries entries;
    for (int k = 0; k < types; ++k) {
        fleet_lower_.push_back(0.0);
        fleet_upper_.push_back(problem.type(k).available);
        column_upper.push_back(fleet_upper_.back());
        entries.add(n + k, -1.0);
        entries.end_item();
    }
    costs.resize(at(first_route_), artificial_cost);
    column_upper.resize(at(first_route_), infinity);
    for (int r = 0; r < n + types; ++r) {
        entries.add(r, 1.0);
        entries.end_item();
    }
    program_->add_columns(costs, column_lower, column_upper, entries);
}

int Master::add_columns(const std::vector<Column>& columns) {
    Entries entries;
    std::vector<double> costs;
    for (const Column& column : columns) {
        const std::size_t hash = hash_of(column);
        if (known_.contains(hash) &&
            std::any_of(columns_.begin(), columns_.end(), [&](const Column& other) { return is_same(other, column); }))
            continue;
        known_.insert(hash);
        columns_.push_back(column);
        costs.push_back(column.cost);
        append_entries(column, entries);
        entries.end_item();
    }
    if (costs.empty()) return 0;
    const std::vector<double> lower(costs.size(), 0.0), upper(costs.size(), infinity);
    program_->add_columns(costs, lower, upper, entries);
    return static_cast<int>(costs.size());
}

void Master::append_entries(const Column& column, Entries& entries) const {
    const int n = problem_.num_customers();
    if (column.type < 0) {
        for (std::size_t r = 0; r < extra_rows_.size(); ++r)
            if (extra_rows_[r] == std::make_pair(RowKind::arcs, -1 - column.type))
                entries.add(n + problem_.num_types() + static_cast<int>(r), 1.0);
        return;
    }
    std::vector<int> visits = column.customers;
    std::sort(visits.begin(), visits.end());
    for (std::size_t p = 0; p < visits.size();) {
        std::size_t end = p;
        while (end < visits.size() && visits[end] == visits[p]) ++end;
        entries.add(visits[p] - 1, static_cast<double>(end - p));
        p = end;
    }
    entries.add(n + column.type, 1.0);
    for (std::size_t r = 0; r < extra_rows_.size(); ++r) {
        const auto [kind, index] = extra_rows_[r];
        const double value = row_coefficient(kind, index, column);
        if (value != 0.0) entries.add(n + problem_.num_types() + static_cast<int>(r), value);
    }
}

double Master::row_coefficient(RowKind kind, int index, const Column& column) const {
    if (kind == RowKind::fleet || column.type < 0) return 0.0;
    if (kind == RowKind::subset) {
        const SubsetCut& cut = subset_cuts_[at(index)];
        return cut_coefficient(cut.is_member, cut.is_memory, column.customers);
    }
    if (kind == RowKind::capacity) {
        const CapacityCut& cut = capacity_cuts_[at(index)];
        return cut.weights[at(problem_.group_of(column.type))] * cut.times_leaving(column.customers);
    }
    const std::vector<char>& arcs = arc_sets_[at(index)];
    const std::size_t stops = at(problem_.num_stops());
    int last = 0;
    double count = 0.0;
    for (const int c : column.customers) {
        count += arcs[at(last) * stops + at(c)];
        last = c;
    }
    return count + arcs[at(last) * stops];
}

void Master::add_row(RowKind kind, int index) {
    Entries entries;
    double lower = -infinity, upper = infinity;
    if (kind == RowKind::fleet) {
        const FleetCut& cut = fleet_cuts_[at(index)];
        lower = cut.least;
        for (int k = 0; k < problem_.num_types(); ++k)
            if (cut.weights[at(k)] != 0.0) entries.add(k, cut.weights[at(k)]);
    } else {
        if (kind == RowKind::subset) {
            upper = subset_cuts_[at(index)].limit();
        } else if (kind == RowKind::capacity) {
            lower = capacity_cuts_[at(index)].least;
            for (const int i : capacity_cuts_[at(index)].members) entries.add(problem_.num_types() + i - 1, lower);
        } else {
            lower = arc_rows_[at(index)].lower;
            upper = arc_rows_[at(index)].upper;
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const double value = row_coefficient(kind, index, columns_[c]);
            if (value != 0.0) entries.add(first_route_ + static_cast<int>(c), value);
        }
    }
    entries.end_item();
    program_->add_rows({lower}, {upper}, entries);
    extra_rows_.emplace_back(kind, index);
    rows_changed_ = true;
}

void Master::add_fleet_cut(const FleetCut& cut) {
    fleet_cuts_.push_back(cut);
    add_row(RowKind::fleet, static_cast<int>(fleet_cuts_.size()) - 1);
}

void Master::add_subset_cuts(const std::vector<SubsetCut>& cuts) {
    for (const SubsetCut& cut : cuts) {
        subset_cuts_.push_back(cut);
        add_row(RowKind::subset, static_cast<int>(subset_cuts_.size()) - 1);
    }
}

void Master::add_capacity_cuts(const std::vector<CapacityCut>& cuts) {
    for (const CapacityCut& cut : cuts) {
        capacity_cuts_.push_back(cut);
        add_row(RowKind::capacity, static_cast<int>(capacity_cuts_.size()) - 1);
    }
}

void Master::set_arc_rows(const std::vector<ArcRow>& rows) {
    const int fixed = problem_.num_customers() + problem_.num_types();
    std::vector<char> is_deleted(at(fixed) + extra_rows_.size(), 0);
    for (std::size_t r = 0; r < extra_rows_.size(); ++r) is_deleted[at(fixed) + r] = extra_rows_[r].first == RowKind::arcs;
    delete_rows(is_deleted);
    arc_rows_ = rows;
    arc_sets_.clear();
    const std::size_t stops = at(problem_.num_stops());
    for (const ArcRow& row : rows) {
        std::vector<char> set(stops * stops, 0);
        for (const auto& [i, j] : row.arcs) set[at(i) * stops + at(j)] = 1;
        arc_sets_.push_back(std::move(set));
    }
    std::vector<char> is_old(at(first_route_) + columns_.size(), 0);
    for (std::size_t c = 0; c < columns_.size(); ++c) is_old[at(first_route_) + c] = columns_[c].type < 0;
    if (std::find(is_old.begin(), is_old.end(), 1) != is_old.end()) delete_columns(is_old);
    std::vector<Column> artificial;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        add_row(RowKind::arcs, static_cast<int>(r));
        if (rows[r].lower > 0) artificial.push_back({-1 - static_cast<int>(r), artificial_cost_, {}});
    }
    add_columns(artificial);
}

void Master::set_fleet_bounds(int type, double lower, double upper) {
    if (fleet_lower_[at(type)] == lower && fleet_upper_[at(type)] == upper) return;
    fleet_lower_[at(type)] = lower;
    fleet_upper_[at(type)] = upper;
    program_->set_column_bounds(type, lower, upper);
    rows_changed_ = true;
}

void Master::set_artificial_cost(double cost) {
    artificial_cost_ = cost;
    for (int c = problem_.num_types(); c < first_route_; ++c) program_->set_column_cost(c, cost);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].type >= 0) continue;
        columns_[c].cost = cost;
        program_->set_column_cost(first_route_ + static_cast<int>(c), cost);
    }
}

bool Master::has_impossible_fleet() const {
    for (int k = 0; k < problem_.num_types(); ++k)
        if (fleet_lower_[at(k)] > fleet_upper_[at(k)]) return true;
    return std::any_of(fleet_cuts_.begin(), fleet_cuts_.end(), [&](const FleetCut& cut) {
        double most = 0.0;
        for (int k = 0; k < problem_.num_types(); ++k) most += cut.weights[at(k)] * fleet_upper_[at(k)];
        return most < cut.least * (1.0 - 1e-9);
    });
}

void Master::delete_rows(const std::vector<char>& is_deleted) {
    const int fixed = problem_.num_customers() + problem_.num_types();
    if (std::find(is_deleted.begin(), is_deleted.end(), 1) == is_deleted.end()) return;
    program_->delete_rows(is_deleted);
    std::vector<std::pair<RowKind, int>> kept;
    for (std::size_t r = 0; r < extra_rows_.size(); ++r)
        if (!is_deleted[at(fixed) + r]) kept.push_back(extra_rows_[r]);
    extra_rows_ = std::move(kept);
    rows_changed_ = true;
}

void Master::delete_columns(const std::vector<char>& is_deleted) {
    program_->delete_columns(is_deleted);
    std::vector<Column> kept;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (!is_deleted[at(first_route_) + c]) {
            kept.push_back(std::move(columns_[c]));
        } else {
            known_.erase(known_.find(hash_of(columns_[c])));
        }
    }
    columns_ = std::move(kept);
}

template <class Cut>
void Master::drop_cuts(RowKind kind, const std::vector<char>& is_deleted, std::vector<Cut>& cuts) {
    const int fixed = problem_.num_customers() + problem_.num_types();
    std::vector<Cut> kept;
    for (std::size_t r = 0; r < extra_rows_.size(); ++r) {
        auto& [row_kind, index] = extra_rows_[r];
        if (row_kind != kind || is_deleted[at(fixed) + r]) continue;
        kept.push_back(std::move(cuts[at(index)]));
        index = static_cast<int>(kept.size()) - 1;
    }
    cuts = std::move(kept);
}

void Master::drop_idle_cuts() {
    const int fixed = problem_.num_customers() + problem_.num_types();
    std::vector<char> is_deleted(at(fixed) + extra_rows_.size(), 0);
    for (std::size_t r = 0; r < extra_rows_.size(); ++r) {
        const RowKind kind = extra_rows_[r].first;
        if (kind == RowKind::subset || kind == RowKind::capacity)
            is_deleted[at(fixed) + r] = std::abs(program_->duals()[at(fixed) + r]) < 1e-9;
    }
    drop_cuts(RowKind::subset, is_deleted, subset_cuts_);
    drop_cuts(RowKind::capacity, is_deleted, capacity_cuts_);
    delete_rows(is_deleted);
}

int Master::drop_columns(double limit, const DualPoint& point) {
    return keep_columns_if([&](const Column& column) {
        return reduced_cost(problem_, point.prices, column.type, column.customers) <= limit;
    });
}

LpStatus Master::solve(const Watch& watch) {
    if (has_impossible_fleet()) return LpStatus::infeasible;
    const LpStatus status = program_->solve(rows_changed_, watch);
    rows_changed_ = false;
    // Nothing else makes it infeasible, whatever the solver says.
    return status == LpStatus::infeasible ? LpStatus::failed : status;
}

double Master::value(const Watch& watch) {
    const LpStatus status = solve(watch);
    if (status == LpStatus::optimal) return objective();
    return status == LpStatus::infeasible ? infinity : -infinity;
}

double Master::artificial_value() const {
    double sum = 0.0;
    for (int c = problem_.num_types(); c < first_route_; ++c) sum += program_->values()[at(c)];
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].type < 0) sum += program_->values()[at(first_route_) + c];
    return sum;
}

DualPoint Master::dual_point(const std::vector<double>& duals) const {
    const int n = problem_.num_customers();
    const int types = problem_.num_types();
    const std::size_t stops = at(problem_.num_stops());
    DualPoint point;
    point.prices.customers.assign(stops, 0.0);
    double base = 0.0;
    for (int i = 1; i <= n; ++i) {
        double dual = duals[at(i - 1)];
        if (problem_.has_triangle_inequality()) dual = std::max(dual, 0.0);
        point.prices.customers[at(i)] = dual;
        base += dual;
    }
    point.type_excess.assign(at(types), 0.0);
    for (int k = 0; k < types; ++k) {
        point.type_excess[at(k)] = duals[at(n + k)];
        point.prices.types.push_back(problem_.type(k).fixed_cost - duals[at(n + k)]);
    }
    CutStates& cuts = point.prices.cuts;
    std::vector<const SubsetCut*> active;
    for (std::size_t r = 0; r < extra_rows_.size(); ++r) {
        const auto [kind, index] = extra_rows_[r];
        double dual = duals[at(n + types) + r];
        if (kind == RowKind::fleet) {
            const FleetCut& cut = fleet_cuts_[at(index)];
            dual = std::max(dual, 0.0);
            base += dual * cut.least;
            for (int k = 0; k < types; ++k) point.type_excess[at(k)] -= dual * cut.weights[at(k)];
        } else if (kind == RowKind::subset) {
            dual = std::min(dual, 0.0);
            if (dual > -1e-11) continue;
            base += dual * subset_cuts_[at(index)].limit();
            cuts.price.push_back(-dual);
            active.push_back(&subset_cuts_[at(index)]);
        } else if (kind == RowKind::capacity) {
            const CapacityCut& cut = capacity_cuts_[at(index)];
            if (!(dual > 0)) continue;
            base += dual * cut.least;
            charge(cut, dual, point.prices.arcs);
        } else {
            const ArcRow& row = arc_rows_[at(index)];
            if ((dual > 0 && row.lower == -infinity) || (dual < 0 && row.upper == infinity)) dual = 0.0;
            if (dual == 0.0) continue;
            base += dual * (dual > 0 ? row.lower : row.upper);
            const std::size_t groups = problem_.groups().size();
            if (point.prices.arcs.empty()) point.prices.arcs.assign(groups * stops * stops, 0.0);
            for (std::size_t g = 0; g < groups; ++g)
                for (const auto& [i, j] : row.arcs) point.prices.arcs[(g * stops + at(i)) * stops + at(j)] += dual;
        }
    }
    cuts.words = static_cast<int>((active.size() + 63) / 64);
    cuts.member.assign(stops * at(cuts.words), 0);
    cuts.memory.assign(stops * at(cuts.words), 0);
    for (std::size_t a = 0; a < active.size(); ++a)
        for (int i = 1; i <= n; ++i) {
            const std::size_t place = at(i) * at(cuts.words) + a / 64;
            if (active[a]->is_member[at(i)]) cuts.member[place] |= std::uint64_t{1} << (a % 64);
            if (active[a]->is_memory[at(i)]) cuts.memory[place] |= std::uint64_t{1} << (a % 64);
        }
    point.base = base;
    return point;
}

}  // namespace fripn::exact
