#include "policy/state/fleet_state.h"

#include <algorithm>

namespace fripn::policy {

namespace {

// Refreshing the running sums now and then keeps their rounding errors from piling up.
constexpr int customers_between_refreshes = 128;

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

Term term_of(Scalar scalar, float value) { return {value, RowSource::scalar, static_cast<int>(scalar)}; }

}  // namespace

FleetState::FleetState(const FoldedWeights& weights, const Kernels& kernels, int num_types)
    : weights_(weights),
      kernels_(kernels),
      num_types_(num_types),
      vehicles_(size_of(num_types)),
      graph_sums_(weights.has_graph ? size_of(num_types * weights.dims.row_width) : 0) {}

void FleetState::start(const Problem& problem, const NodeTable& table) {
    problem_ = &problem;
    table_ = &table;
    unserved_ = problem.total_demand;
    cost_ = 0.0;
    num_left_ = problem.num_nodes - 1;
    num_steps_ = 0;
    last_on_road_ = -1;
    std::copy(table.graph_sums.begin(), table.graph_sums.end(), graph_sums_.begin());
    for (int k = 0; k < num_types_; ++k) {
        vehicles_[size_of(k)] = {0, 0.0, 0, 0.0F};
        refit(k);
    }
    price();
}

bool FleetState::is_all_at_depot() const {
    return std::all_of(vehicles_.begin(), vehicles_.end(), [](const Vehicle& v) { return v.location == 0; });
}

bool FleetState::is_hireable(int type) const {
    const std::int64_t limit = problem_->available[type];
    return limit < 0 || vehicles_[size_of(type)].hired < limit;
}

double FleetState::load_of(int type) const { return problem_->capacities[type] - vehicles_[size_of(type)].carried; }

void FleetState::price() {
    if (!weights_.has_cover) return;
    room_ = 0.0;
    for (int k = 0; k < num_types_; ++k)
        if (is_employed(k)) room_ += load_of(k);
    net_demand_ = std::max(0.0, unserved_ - room_);
    cover_of_unserved_ = problem_->cover(unserved_);
    cover_of_net_ = problem_->cover(net_demand_);
    if (weights_.has_pack) cover_slack_ = problem_->cover.slack(unserved_ - room_);
}

void FleetState::refit(int type) {
    Vehicle& vehicle = vehicles_[size_of(type)];
    if (vehicle.location == 0 && !is_hireable(type))
        vehicle.threshold = -2.0F;  // below the rank of anything
    else
        vehicle.threshold = problem_->customers_within(problem_->capacities[type] +
                                                       problem_->slack[size_of(type)] - vehicle.carried);
}

void FleetState::terms_of_shared(std::vector<Term>& terms) const {
    terms.clear();
    const auto share = static_cast<float>(num_left_) / static_cast<float>(problem_->num_nodes - 1);
    terms.push_back(term_of(Scalar::unserved, static_cast<float>(0.1 * unserved_)));
    terms.push_back(term_of(Scalar::net_demand, static_cast<float>(0.1 * net_demand_)));
    terms.push_back(term_of(Scalar::free_per_unserved, static_cast<float>(std::min(room_ / safe_unserved(), 2.0))));
    terms.push_back(term_of(Scalar::share_unserved, share));
    if (weights_.has_pack) terms.push_back(term_of(Scalar::slack, static_cast<float>(cover_slack_)));
}

void FleetState::terms_of_type(int type, float waste, std::vector<Term>& terms) const {
    terms.clear();
    const CoverTable& cover = problem_->cover;
    const double capacity = problem_->capacities[type];
    const double load = load_of(type);
    const double u = unserved_;
    const bool is_candidate = !is_employed(type);
    if (is_candidate) {
        terms.push_back({1.0F, RowSource::candidate, type});
        if (weights_.has_graph && is_hireable(type))
            terms.push_back({1.0F / static_cast<float>(problem_->num_nodes), RowSource::graph,
                             problem_->graph_of_type[size_of(type)]});
    } else {
        terms.push_back({1.0F, RowSource::employed, type});
        terms.push_back({1.0F, RowSource::location, vehicles_[size_of(type)].location});
        terms.push_back({static_cast<float>(load), RowSource::load, 0});
    }
    if (!weights_.has_cover) return;
    terms.push_back({1.0F, RowSource::shared, 0});
    terms.push_back(term_of(Scalar::unserved_per_capacity, static_cast<float>(std::min(u / capacity, 3.0))));
    if (weights_.has_pack) terms.push_back(term_of(Scalar::waste, waste));
    if (is_candidate) {
        const double hire = problem_->fixed_costs[type];
        terms.push_back(
            {static_cast<float>(hire + cover(u - capacity) - cover_of_unserved_), RowSource::regret, 0});
        terms.push_back(
            {static_cast<float>(hire + cover(net_demand_ - capacity) - cover_of_net_), RowSource::net_regret, 0});
    } else {
        terms.push_back({static_cast<float>(cover_of_unserved_ - cover(u - load)), RowSource::value, 0});
        terms.push_back(term_of(Scalar::load_per_unserved, static_cast<float>(std::min(load / safe_unserved(), 1.0))));
    }
}

const float* FleetState::row_of(const Term& term) const {
    const std::size_t at = size_of(term.index) * size_of(weights_.dims.row_width);
    switch (term.source) {
        case RowSource::candidate: return table_->candidate_rows.data() + at;
        case RowSource::employed: return problem_->employed_rows.data() + at;
        case RowSource::graph: return graph_sums_.data() + at;
        case RowSource::location: return table_->location(term.index);
        case RowSource::load: return problem_->load_row.data();
        case RowSource::regret: return problem_->regret_row.data();
        case RowSource::net_regret: return problem_->net_regret_row.data();
        case RowSource::value: return problem_->value_row.data();
        case RowSource::scalar: return weights_.scalar_row(static_cast<Scalar>(term.index));
        case RowSource::shared: break;
    }
    return nullptr;
}

void FleetState::move(int type, int node, const int* open, int num_open) {
    Vehicle& vehicle = vehicles_[size_of(type)];
    cost_ += problem_->unit_costs[type] * problem_->distance(vehicle.location, node);
    if (vehicle.location == 0) {
        cost_ += problem_->fixed_costs[type];
        ++vehicle.hired;
    }
    vehicle.location = node;
    last_on_road_ = node == 0 ? -1 : type;
    ++num_steps_;
    if (node == 0) {
        vehicle.carried = 0.0;
    } else {
        vehicle.carried += problem_->demands[node];
        serve(node, open, num_open);
    }
    refit(type);
    price();
}

void FleetState::serve(int node, const int* open, int num_open) {
    --num_left_;
    unserved_ -= problem_->demands[node];
    // What is left of a sum after all its terms are gone is rounding error.
    if (unserved_ < 1e-12 * problem_->total_demand) unserved_ = 0.0;
    if (!weights_.has_graph) return;
    const int width = weights_.dims.row_width;
    const bool is_refresh = num_left_ % customers_between_refreshes == 0;
    float* sum = graph_sums_.data();
    for (const float limit : problem_->graph_thresholds) {
        if (is_refresh) {
            std::fill_n(sum, width, 0.0F);
            for (int j = 1; j < num_open; ++j)
                if (problem_->ranks[size_of(open[j])] < limit)
                    kernels_.add_scaled(table_->graph(open[j]), width, 1.0F, sum);
        } else if (problem_->ranks[size_of(node)] < limit) {
            kernels_.add_scaled(table_->graph(node), width, -1.0F, sum);
        }
        sum += width;
    }
}

double FleetState::total_cost() const {
    double cost = cost_;
    for (int k = 0; k < num_types_; ++k)
        if (const int place = vehicles_[size_of(k)].location; place != 0)
            cost += problem_->unit_costs[k] * problem_->distance(place, 0);
    return cost;
}

}  // namespace fripn::policy
