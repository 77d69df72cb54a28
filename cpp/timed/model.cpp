#include "timed/model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace fripn::timed {

namespace {

constexpr double never = DayType::never;

double with_tolerance(double limit, double horizon) {
    return limit + search_time_tolerance * std::max(limit, horizon);
}

}  // namespace

Model::Model(const Instance& instance)
    : instance_(instance),
      num_customers_(instance.num_customers()),
      num_loads_(instance.day().num_loads),
      stride_(at(instance.num_nodes())),
      matrix_(instance.row(0)),
      durations_(instance.day().durations.empty() ? nullptr : instance.day().durations.data()) {
    if (num_loads_ > max_loads)
        throw std::invalid_argument("the instance has " + std::to_string(num_loads_) + " loads; the search takes at most " +
                                    std::to_string(max_loads));
    add_transposed();
    add_windows();
    add_types();
    add_cargo();
}

void Model::add_transposed() {
    const auto transposed = [this](const double* matrix, std::vector<double>& copy) {
        if (matrix == nullptr) return matrix;
        bool is_symmetric = true;
        for (std::size_t i = 0; i < stride_ && is_symmetric; ++i)
            for (std::size_t j = 0; j < i && is_symmetric; ++j) is_symmetric = matrix[i * stride_ + j] == matrix[j * stride_ + i];
        if (is_symmetric) return matrix;
        copy.resize(stride_ * stride_);
        for (std::size_t i = 0; i < stride_; ++i)
            for (std::size_t j = 0; j < stride_; ++j) copy[j * stride_ + i] = matrix[i * stride_ + j];
        return static_cast<const double*>(copy.data());
    };
    into_ = transposed(matrix_, transposed_);
    times_into_ = into_ == nullptr ? nullptr : transposed(durations_, transposed_times_);
}

void Model::add_windows() {
    const WorkingDay& day = instance_.day();
    service_ = day.service_times;
    service_.resize(stride_, 0.0);
    first_window_.push_back(0);
    for (int node = 0; node < instance_.num_nodes(); ++node) {
        const std::size_t first = day.window_offsets.empty() ? 0 : day.window_offsets[at(node)];
        const std::size_t last = day.window_offsets.empty() ? 0 : day.window_offsets[at(node) + 1];
        for (std::size_t w = first; w < last; ++w) {
            windows_.push_back(day.windows[w]);
            if (day.windows[w].close < never) horizon_ = std::max(horizon_, std::abs(day.windows[w].close));
        }
        if (first == last) windows_.push_back({-never, never});
        if (node >= 1 && node <= num_customers_ && last - first > 1) has_choices_ = true;
        first_window_.push_back(windows_.size());
    }
}

void Model::add_types() {
    const WorkingDay& day = instance_.day();
    const std::size_t width = at(num_customers_) + 1;
    std::vector<std::size_t> group_row;   // a type of each group
    for (int k = 0; k < instance_.num_types(); ++k) {
        const DayType own = day.types.empty() ? DayType{} : day.types[at(k)];
        if (own.shift_end < never) horizon_ = std::max(horizon_, std::abs(own.shift_end));
    }
    warp_tolerance_ = search_time_tolerance * horizon_;
    for (int k = 0; k < instance_.num_types(); ++k) {
        const VehicleType& type = instance_.vehicle_type(k);
        const DayType own = day.types.empty() ? DayType{} : day.types[at(k)];
        TypeRules rules{type.tariff(),
                        own.time_cost,
                        {},
                        with_tolerance(own.max_duration, horizon_),
                        with_tolerance(own.max_distance, 0.0),
                        own.max_stops < 0 || own.max_stops > any_number ? any_number : static_cast<int>(own.max_stops),
                        0,
                        -1};
        rules.limit.fill(never);
        rules.limit[0] = type.load_limit;
        for (int l = 0; l < num_loads_ && num_loads_ > 1; ++l)
            rules.limit[at(l)] = load_limit(day.capacities[at(k) * at(num_loads_) + at(l)]);

        std::size_t group = 0;
        if (!day.access.empty()) {
            const auto row = day.access.begin() + static_cast<std::ptrdiff_t>(at(k) * width);
            while (group < group_row.size() &&
                   !std::equal(row, row + static_cast<std::ptrdiff_t>(width),
                               day.access.begin() + static_cast<std::ptrdiff_t>(group_row[group] * width)))
                ++group;
        }
        if (group == group_row.size()) group_row.push_back(at(k));
        if (group_row.size() > max_access_groups)
            throw std::invalid_argument("the vehicle types have more than " + std::to_string(max_access_groups) +
                                        " different sets of customers they may serve; the search takes no more");
        rules.group = std::uint64_t{1} << group;

        const int depot = own.depot == 0 ? 0 : num_customers_ + own.depot;
        const Window& opening = window(depot, 0);
        const Stretch start{0.0, 0.0, 0.0, std::max(opening.open, own.shift_start), never};
        const double last_end = own.returns ? std::min(opening.close, own.shift_end) : own.shift_end;
        const Stretch end{0.0, 0.0, 0.0, -never, last_end};
        for (std::size_t f = 0; f < frames_.size() && rules.frame < 0; ++f) {
            const Frame& frame = frames_[f];
            if (frame.depot == depot && frame.factor == own.time_factor && frame.returns == own.returns &&
                frame.start.earliest == start.earliest && frame.end.latest == end.latest)
                rules.frame = static_cast<int>(f);
        }
        if (rules.frame < 0) {
            rules.frame = static_cast<int>(frames_.size());
            frames_.push_back({depot, own.time_factor, own.returns, start, end, {}, 0, {}, 0.0, 0.0, false, true});
        }
        types_.push_back(rules);
        if (type.available == 0) continue;
        has_fixed_costs_ |= rules.tariff.fixed_cost > 0.0;
        Frame& frame = frames_[at(rules.frame)];
        frame.types.push_back(k);
        frame.groups |= rules.group;
        for (std::size_t l = 0; l < rules.limit.size(); ++l) frame.largest[l] = std::max(frame.largest[l], rules.limit[l]);
        frame.longest = std::max(frame.longest, rules.max_duration);
        frame.farthest = std::max(frame.farthest, rules.max_distance);
        frame.needs_duration |= rules.time_cost != 0.0 || rules.max_duration < never;
    }
    for (Frame& frame : frames_)
        for (const int k : frame.types) frame.is_uniform &= types_[at(k)].costs_and_limits_like(types_[at(frame.types[0])]);
    // The access of each customer, by group.
    has_limited_access_ = !day.access.empty();
    cargo_.resize(width);
    for (int c = 1; c <= num_customers_ && !day.access.empty(); ++c) {
        cargo_[at(c)].groups = 0;
        for (std::size_t g = 0; g < group_row.size(); ++g)
            if (day.access[group_row[g] * width + at(c)] != 0) cargo_[at(c)].groups |= std::uint64_t{1} << g;
    }
}

void Model::add_cargo() {
    const WorkingDay& day = instance_.day();
    for (int c = 1; c <= num_customers_; ++c) {
        Cargo& cargo = cargo_[at(c)];
        cargo.stops = 1;
        cargo.load[0] = instance_.demand(c);
        for (int l = 0; l < num_loads_ && num_loads_ > 1; ++l)
            cargo.load[at(l)] = day.loads[at(c) * at(num_loads_) + at(l)];
    }
}

Stretch Model::drive(const Frame& frame, const std::vector<int>& customers, const std::vector<int>& choices) const {
    Stretch route = frame.start;
    int last = -1;
    for (std::size_t i = 0; i < customers.size(); ++i) {
        const int c = customers[i];
        route = route.joined(last < 0 ? arc_from_depot(frame, c) : arc(frame, last, c), stop(c, choices.empty() ? 0 : choices[i]));
        last = c;
    }
    return route.joined(arc_to_end(frame, last), frame.end);
}

Stretch Model::drive(const Frame& frame, const std::vector<int>& customers) const {
    return drive(frame, customers, choose_windows(frame, customers));
}

// Schedules as pieces: departures from `first` to `last`, each `elapsed` before the start of the present service. A
// vehicle that waits leaves as late as it can, so waiting makes a piece a point.
std::vector<int> Model::choose_windows(const Frame& frame, const std::vector<int>& customers) const {
    if (!has_choices_) return {};
    struct Piece {
        double first;
        double last;
        double elapsed;
        std::size_t trace;
    };
    struct Step {
        std::size_t before;
        int choice;
    };
    constexpr std::size_t nobody = ~std::size_t{0};
    std::vector<Step> steps;
    std::vector<Piece> pieces{{frame.start.earliest, frame.start.latest, 0.0, nobody}};
    std::vector<Piece> next;
    int at_stop = -1;
    for (const int c : customers) {
        const double travel = (at_stop < 0 ? arc_from_depot(frame, c).time : arc(frame, at_stop, c).time) +
                              (at_stop < 0 ? 0.0 : service(at_stop));
        at_stop = c;
        next.clear();
        for (const Piece& piece : pieces) {
            const double elapsed = piece.elapsed + travel;
            for (int w = 0; w < num_windows(c); ++w) {
                const Window& open = window(c, w);
                Piece with{std::max(piece.first, open.open - elapsed), std::min(piece.last, open.close - elapsed), elapsed, 0};
                if (piece.last + elapsed < open.open)
                    with = {piece.last, piece.last, open.open - piece.last, 0};
                else if (with.first > with.last + warp_tolerance_)
                    continue;
                steps.push_back({piece.trace, w});
                with.trace = steps.size() - 1;
                next.push_back(with);
            }
        }
        if (next.empty()) {   // late: the last window is the least so
            const Piece& soonest = *std::min_element(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
                return a.first + a.elapsed < b.first + b.elapsed;
            });
            steps.push_back({soonest.trace, num_windows(c) - 1});
            const double start = window(c, num_windows(c) - 1).close;
            next.push_back({soonest.first, soonest.first, start - soonest.first, steps.size() - 1});
        }
        // A schedule that leaves no earlier and arrives no later than another makes it needless.
        std::sort(next.begin(), next.end(), [](const Piece& a, const Piece& b) {
            return a.last != b.last ? a.last > b.last : a.first + a.elapsed < b.first + b.elapsed;
        });
        pieces.clear();
        for (const Piece& piece : next) {
            const auto beats = [&](const Piece& other) {
                return std::max(other.first, piece.last) + other.elapsed <= piece.first + piece.elapsed && other.last >= piece.last;
            };
            if (std::none_of(pieces.begin(), pieces.end(), beats)) pieces.push_back(piece);
        }
    }
    // The end must be in time; then the least duration counts.
    const double home = arc_to_end(frame, at_stop).time + service(at_stop);
    const auto lateness = [&](const Piece& p) { return std::max(0.0, p.first + p.elapsed + home - frame.end.latest); };
    const Piece* best = &pieces.front();
    for (const Piece& piece : pieces) {
        const double late = lateness(piece);
        const double least = lateness(*best);
        if (late < least - warp_tolerance_ || (late <= least + warp_tolerance_ && piece.elapsed < best->elapsed)) best = &piece;
    }
    std::vector<int> choices(customers.size());
    std::size_t trace = best->trace;
    for (std::size_t i = customers.size(); i-- > 0; trace = steps[trace].before) choices[i] = steps[trace].choice;
    return choices;
}

Cargo Model::cargo_of(const std::vector<int>& customers) const {
    Cargo cargo;
    for (const int c : customers) cargo.add(cargo_[at(c)]);
    return cargo;
}

TypeChoice Model::cheapest(const std::vector<int>& customers, double largest, const std::vector<int>* used) const {
    const Cargo cargo = cargo_of(customers);
    const auto is_wanted = [&](int k) {
        return types_[at(k)].limit[0] <= largest && can_carry(k, cargo) &&
               (used == nullptr || instance_.vehicle_type(k).has_left((*used)[at(k)]));
    };
    TypeChoice best{-1, infinity};
    for (const Frame& frame : frames_) {
        if (std::none_of(frame.types.begin(), frame.types.end(), is_wanted)) continue;
        const Stretch route = drive(frame, customers);
        for (const int k : frame.types) {
            if (!is_wanted(k) || !keeps_times(k, route)) continue;
            const double cost = types_[at(k)].cost(route.distance, route.duration);
            if (cost < best.cost) best = {k, cost};
        }
    }
    return best;
}

double Model::cost(const PlanRoute& route) const {
    const TypeRules& rules = types_[at(route.type)];
    const Stretch driven = drive(frames_[at(rules.frame)], route.customers);
    return rules.cost(driven.distance, driven.duration);
}

double Model::cost(const Plan& plan) const {
    double total = 0.0;
    for (const PlanRoute& route : plan.routes)
        if (!route.customers.empty()) total += cost(route);
    return total;
}

bool Model::keeps_limits(const PlanRoute& route) const {
    return can_carry(route.type, cargo_of(route.customers)) &&
           keeps_times(route.type, drive(frames_[at(types_[at(route.type)].frame)], route.customers));
}

bool Model::keeps_limits(const Plan& plan) const {
    std::vector<int> used(types_.size(), 0);
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        if (!keeps_limits(route) || !instance_.vehicle_type(route.type).has_left(used[at(route.type)]++)) return false;
    }
    return true;
}

double Model::mean_arc_cost(const Plan& plan) const {
    double travel = 0.0;   // neither the vehicle nor the service, which no plan avoids
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        const TypeRules& rules = types_[at(route.type)];
        travel += cost(route) - rules.tariff.fixed_cost;
        for (const int c : route.customers) travel -= rules.time_cost * service(c);
    }
    const double arcs = static_cast<double>(num_customers_) + static_cast<double>(plan.routes.size());
    return std::max(travel / arcs, 1e-3 * plan.cost / arcs);
}

}  // namespace fripn::timed
