#include "policy/trajectory.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace fripn::policy {

namespace {

constexpr float beyond_all_ranks = 3e38F;

// Refreshing the running sums now and then keeps their rounding errors from piling up.
constexpr int steps_between_refreshes = 128;

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

int round_up(int count, int unit) { return (count + unit - 1) / unit * unit; }

}  // namespace

Trajectory::Trajectory(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types)
    : weights_(weights),
      kernels_(kernels),
      num_types_(num_types),
      stride_(round_up(num_nodes, block_lanes)),
      vehicles_(size_of(num_types)),
      nodes_(size_of(stride_)),
      places_(size_of(stride_)),
      ranks_(size_of(stride_)),
      biases_(size_of(stride_)),
      keys_(size_of(stride_) * size_of(weights.dims.nodes_width)),
      pointers_(keys_.size()),
      graph_sums_(weights.has_graph ? size_of(num_types * weights.dims.row_width) : 0),
      rows_(size_of(num_types * weights.dims.row_width)),
      shared_row_(size_of(weights.dims.row_width)),
      pair_scratch_(size_of(num_types * weights.dims.lanes_width)),
      mask_(size_of(num_types) * size_of(stride_)),
      head_scratch_(mask_.size()),
      attended_(size_of(num_types * weights.dims.nodes_width)),
      scores_(mask_.size()),
      shares_(mask_.size()),
      maxima_(size_of(num_types)),
      type_sums_(size_of(num_types)) {
    terms_.reserve(16);
    coefficients_.reserve(16);
    best_scores_.reserve(mask_.size());
}

void Trajectory::start(const Problem& problem, const NodeTable& table, std::uint64_t seed, std::uint64_t stream) {
    problem_ = &problem;
    table_ = &table;
    rng_ = Rng(seed, stream);
    unserved_ = problem.total_demand;
    cost_ = 0.0;
    num_left_ = problem.num_nodes - 1;
    num_steps_ = 0;
    num_open_ = problem.num_nodes;
    for (int i = 0; i < num_open_; ++i) nodes_[size_of(i)] = places_[size_of(i)] = i;
    std::fill(ranks_.begin(), ranks_.end(), beyond_all_ranks);
    std::copy(problem.ranks.begin(), problem.ranks.end(), ranks_.begin());
    std::copy(table.biases.begin(), table.biases.end(), biases_.begin());
    std::copy(table.keys.begin(), table.keys.end(), keys_.begin());
    std::copy(table.pointers.begin(), table.pointers.end(), pointers_.begin());
    std::copy(table.graph_sums.begin(), table.graph_sums.end(), graph_sums_.begin());
    for (int k = 0; k < num_types_; ++k) {
        vehicles_[size_of(k)] = {0, 0.0, 0, 0.0F};
        refit(k);
    }
}

bool Trajectory::is_hireable(int type) const {
    const std::int64_t limit = problem_->available[type];
    return limit < 0 || vehicles_[size_of(type)].hired < limit;
}

void Trajectory::refit(int type) {
    Vehicle& vehicle = vehicles_[size_of(type)];
    if (vehicle.location == 0 && !is_hireable(type))
        vehicle.threshold = -2.0F;
    else
        vehicle.threshold = problem_->customers_within(problem_->capacities[type] +
                                                       problem_->slack[size_of(type)] - vehicle.carried);
}

bool Trajectory::is_available(int type, int node) const {
    const Vehicle& vehicle = vehicles_[size_of(type)];
    if (node == 0) return vehicle.location != 0;
    return places_[size_of(node)] >= 0 && problem_->ranks[size_of(node)] < vehicle.threshold;
}

void Trajectory::add_row(float coefficient, const float* row) {
    terms_.push_back(row);
    coefficients_.push_back(coefficient);
}

void Trajectory::build_rows() {
    const int width = weights_.dims.row_width;
    const auto scalar_row = [&](int scalar) {
        return weights_.scalars.data() + size_of(num_paper_scalars + scalar) * size_of(width);
    };
    const CoverTable& cover = problem_->cover;
    const float per_node = 1.0F / static_cast<float>(problem_->num_nodes);
    const double u = unserved_;
    double net = 0.0, cost_of_u = 0.0, cost_of_net = 0.0, safe_u = 1.0;
    if (weights_.has_cover) {
        double room = 0.0;
        for (int k = 0; k < num_types_; ++k)
            if (vehicles_[size_of(k)].location != 0)
                room += problem_->capacities[k] - vehicles_[size_of(k)].carried;
        net = std::max(0.0, u - room);
        safe_u = u > 0.0 ? u : 1e-9;
        cost_of_u = cover(u);
        cost_of_net = cover(net);
        terms_.clear();
        coefficients_.clear();
        add_row(static_cast<float>(0.1 * u), scalar_row(0));
        add_row(static_cast<float>(0.1 * net), scalar_row(1));
        add_row(static_cast<float>(std::min(room / safe_u, 2.0)), scalar_row(3));
        add_row(static_cast<float>(num_left_) / static_cast<float>(problem_->num_nodes - 1), scalar_row(11));
        kernels_.combine(shared_row_.data(), width, static_cast<int>(terms_.size()), terms_.data(),
                         coefficients_.data());
    }
    for (int k = 0; k < num_types_; ++k) {
        const Vehicle& vehicle = vehicles_[size_of(k)];
        const double capacity = problem_->capacities[k];
        const double load = capacity - vehicle.carried;
        const std::size_t at = size_of(k) * size_of(width);
        terms_.clear();
        coefficients_.clear();
        if (vehicle.location == 0) {
            add_row(1.0F, table_->candidate_rows.data() + at);
            if (weights_.has_graph && is_hireable(k)) add_row(per_node, graph_sums_.data() + at);
        } else {
            add_row(1.0F, problem_->employed_rows.data() + at);
            add_row(1.0F, table_->location(vehicle.location));
            add_row(static_cast<float>(load), problem_->load_row.data());
        }
        if (weights_.has_cover) {
            add_row(1.0F, shared_row_.data());
            add_row(static_cast<float>(std::min(u / capacity, 3.0)), scalar_row(2));
            if (vehicle.location == 0) {
                const double price = problem_->fixed_costs[k];
                add_row(static_cast<float>(price + cover(u - capacity) - cost_of_u), problem_->regret_row.data());
                add_row(static_cast<float>(price + cover(net - capacity) - cost_of_net),
                        problem_->net_regret_row.data());
            } else {
                add_row(static_cast<float>(cost_of_u - cover(u - load)), problem_->value_row.data());
                add_row(static_cast<float>(std::min(load / safe_u, 1.0)), scalar_row(12));
            }
        }
        kernels_.combine(rows_.data() + at, width, static_cast<int>(terms_.size()), terms_.data(),
                         coefficients_.data());
    }
}

void Trajectory::encode_types(float* attended) {
    build_rows();
    kernels_.attend_types(weights_.dims, rows_.data(), num_types_, pair_scratch_.data(), attended);
}

void Trajectory::score(const float* queries, const DecodeSettings& settings) {
    const int lanes = round_up(num_open_, block_lanes);
    for (int k = 0; k < num_types_; ++k) {
        float* mask = mask_.data() + static_cast<std::ptrdiff_t>(k) * stride_;
        kernels_.mask(ranks_.data(), lanes, vehicles_[size_of(k)].threshold, mask);
        mask[0] = vehicles_[size_of(k)].location != 0 ? 0.0F : unavailable;
    }
    kernels_.attend_nodes(weights_.dims, queries, num_types_, keys_.data(), table_->values.data(), nodes_.data(),
                          num_open_, mask_.data(), stride_, head_scratch_.data(), attended_.data());
    const float factor =
        static_cast<float>(static_cast<double>(weights_.clip) * std::numbers::log2e / settings.temperature);
    kernels_.point(weights_.dims, attended_.data(), num_types_, pointers_.data(), biases_.data(), num_open_,
                   mask_.data(), stride_, factor, scores_.data(), maxima_.data());
}

void Trajectory::restrict_to(int type) {
    for (int k = 0; k < num_types_; ++k) {
        if (k == type) continue;
        std::fill_n(scores_of(k), round_up(num_open_, block_lanes), unavailable);
        maxima_[size_of(k)] = unavailable;
    }
}

void Trajectory::keep_best(int count) {
    best_scores_.clear();
    for (int k = 0; k < num_types_; ++k)
        std::copy_if(scores_of(k), scores_of(k) + num_open_, std::back_inserter(best_scores_),
                     [](float score) { return score > unavailable; });
    if (best_scores_.size() <= size_of(count)) return;
    const auto last = best_scores_.begin() + count - 1;
    std::nth_element(best_scores_.begin(), last, best_scores_.end(), std::greater<>());
    for (int k = 0; k < num_types_; ++k)
        std::replace_if(
            scores_of(k), scores_of(k) + num_open_, [limit = *last](float score) { return score < limit; },
            unavailable);
}

void Trajectory::normalise() {
    maximum_ = *std::max_element(maxima_.begin(), maxima_.end());
    total_ = 0.0;
    for (int k = 0; k < num_types_; ++k) {
        type_sums_[size_of(k)] = 0.0F;
        if (maxima_[size_of(k)] > unavailable)
            type_sums_[size_of(k)] =
                kernels_.exponentiate(scores_of(k), num_open_, maximum_,
                                      shares_.data() + static_cast<std::ptrdiff_t>(k) * stride_);
        total_ += static_cast<double>(type_sums_[size_of(k)]);
    }
}

bool Trajectory::choose(const DecodeSettings& settings, Choice& choice) {
    if (*std::max_element(maxima_.begin(), maxima_.end()) <= unavailable) return false;
    if (settings.is_first_type_drawn && num_steps_ == 0) {
        const auto usable = std::count_if(maxima_.begin(), maxima_.end(), [](float m) { return m > unavailable; });
        std::size_t place = rng_.below(static_cast<std::size_t>(usable));
        int type = 0;
        while (maxima_[size_of(type)] <= unavailable || place-- > 0) ++type;
        restrict_to(type);
    }
    if (settings.top_k > 0) keep_best(settings.top_k);
    normalise();
    if (settings.is_greedy)
        choose_best(choice);
    else
        choose_at_random(choice);
    choice.log_probability = log_probability_of(choice.type, choice.node);
    return true;
}

double Trajectory::log_probability_of_forced(const DecodeSettings& settings, int type, int node) {
    if (!is_available(type, node)) return -std::numeric_limits<double>::infinity();
    if (settings.is_first_type_drawn && num_steps_ == 0) restrict_to(type);
    normalise();
    return log_probability_of(type, node);
}

void Trajectory::choose_best(Choice& choice) const {
    const auto type = std::max_element(maxima_.begin(), maxima_.end()) - maxima_.begin();
    const float* row = scores_of(static_cast<int>(type));
    const auto place = std::max_element(row, row + num_open_) - row;
    choice.type = static_cast<int>(type);
    choice.node = nodes_[static_cast<std::size_t>(place)];
}

void Trajectory::choose_at_random(Choice& choice) {
    double rest = rng_.uniform() * total_;
    // Rounding may carry the draw past the end; then the last action of the last type is meant.
    for (int k = 0; k < num_types_; ++k) {
        const auto sum = static_cast<double>(type_sums_[size_of(k)]);
        if (sum <= 0.0) continue;
        choice.type = k;
        if (rest < sum) break;
        rest -= sum;
    }
    const float* shares = shares_.data() + static_cast<std::ptrdiff_t>(choice.type) * stride_;
    for (int j = 0; j < num_open_; ++j) {
        if (shares[j] <= 0.0F) continue;
        choice.node = nodes_[size_of(j)];
        rest -= static_cast<double>(shares[j]);
        if (rest < 0.0) break;
    }
}

double Trajectory::log_probability_of(int type, int node) const {
    const float score = scores_of(type)[places_[size_of(node)]];
    return static_cast<double>(score - maximum_) * std::numbers::ln2 - std::log(total_);
}

void Trajectory::apply(int type, int node) {
    Vehicle& vehicle = vehicles_[size_of(type)];
    cost_ += problem_->unit_costs[type] * problem_->distance(vehicle.location, node);
    if (vehicle.location == 0) {
        cost_ += problem_->fixed_costs[type];
        ++vehicle.hired;
    }
    vehicle.location = node;
    ++num_steps_;
    if (node == 0) {
        vehicle.carried = 0.0;
    } else {
        vehicle.carried += problem_->demands[node];
        remove_customer(node);
    }
    refit(type);
}

void Trajectory::remove_customer(int node) {
    --num_left_;
    unserved_ -= problem_->demands[node];
    // What is left of a sum after all its terms are gone is rounding, and means nothing.
    if (unserved_ < 1e-12 * problem_->total_demand) unserved_ = 0.0;
    const auto A = static_cast<std::ptrdiff_t>(weights_.dims.nodes_width);
    const int place = places_[size_of(node)];
    const int last = --num_open_;
    places_[size_of(node)] = -1;
    if (place != last) {
        const int moved = nodes_[size_of(last)];
        nodes_[size_of(place)] = moved;
        places_[size_of(moved)] = place;
        ranks_[size_of(place)] = ranks_[size_of(last)];
        biases_[size_of(place)] = biases_[size_of(last)];
        const std::ptrdiff_t to = place / block_lanes * A * block_lanes + place % block_lanes;
        const std::ptrdiff_t from = last / block_lanes * A * block_lanes + last % block_lanes;
        for (std::ptrdiff_t c = 0; c < A * block_lanes; c += block_lanes) {
            keys_[static_cast<std::size_t>(to + c)] = keys_[static_cast<std::size_t>(from + c)];
            pointers_[static_cast<std::size_t>(to + c)] = pointers_[static_cast<std::size_t>(from + c)];
        }
    }
    ranks_[size_of(last)] = beyond_all_ranks;
    if (!weights_.has_graph) return;
    const int width = weights_.dims.row_width;
    const bool is_refresh = num_left_ % steps_between_refreshes == 0;
    for (int k = 0; k < num_types_; ++k) {
        const float threshold = problem_->full_thresholds[size_of(k)];
        float* sum = graph_sums_.data() + static_cast<std::ptrdiff_t>(k) * width;
        if (is_refresh) {
            std::fill_n(sum, width, 0.0F);
            for (int j = 1; j < num_open_; ++j)
                if (ranks_[size_of(j)] < threshold) {
                    const float* row = table_->graph(nodes_[size_of(j)]);
                    for (int c = 0; c < width; ++c) sum[c] += row[c];
                }
        } else if (problem_->ranks[size_of(node)] < threshold) {
            const float* row = table_->graph(node);
            for (int c = 0; c < width; ++c) sum[c] -= row[c];
        }
    }
}

double Trajectory::total_cost() const {
    double cost = cost_;
    for (int k = 0; k < num_types_; ++k)
        if (const int place = vehicles_[size_of(k)].location; place != 0)
            cost += problem_->unit_costs[k] * problem_->distance(place, 0);
    return cost;
}

}  // namespace fripn::policy
