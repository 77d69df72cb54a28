#include "policy/rollout.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

namespace fripn::policy {

namespace {

// A thread advances several trajectories together when there are few types: the projection's matrix is then read
// once for as many rows as its kernel takes. More than that only fills the cache with their keys.
constexpr int rows_together = 12;

// Route by route most trajectories have one row at a time.
constexpr int routes_together = 6;

std::size_t lockstep_for(const FoldedWeights& weights, int num_types) {
    const int by_rows = (rows_together + num_types - 1) / num_types;
    return static_cast<std::size_t>(weights.is_route_by_route ? std::max(by_rows, routes_together) : by_rows);
}

void run_on_threads(int num_threads, const std::function<void()>& work) {
    std::vector<std::jthread> helpers;
    for (int t = 1; t < num_threads; ++t) helpers.emplace_back(work);
    work();
}

class Rollout {
public:
    Rollout(const FoldedWeights& weights, const Kernels& kernels, const RolloutRequest& request,
            const RolloutResult& result)
        : weights_(weights),
          kernels_(kernels),
          request_(request),
          result_(result),
          num_trajectories_(static_cast<std::size_t>(request.num_tables) *
                            static_cast<std::size_t>(request.trajectories_per_table)),
          problems_(static_cast<std::size_t>(request.problems.num_problems())),
          tables_(static_cast<std::size_t>(request.num_tables)),
          openings_(tables_.size()) {}

    void run() {
        const int threads = std::max(1, request_.num_threads);
        std::atomic<std::size_t> next{0};
        run_on_threads(threads, [&] {
            for (std::size_t p; !is_stopped() && (p = next.fetch_add(1)) < problems_.size();)
                problems_[p] = std::make_unique<Problem>(request_.problems, p, weights_);
        });
        next = 0;
        run_on_threads(threads, [&] { make_tables_and_openings(next); });
        next = 0;
        const std::size_t share = (num_trajectories_ + static_cast<std::size_t>(threads) - 1) /
                                  static_cast<std::size_t>(threads);
        const std::size_t lockstep = std::min(share, lockstep_for(weights_, request_.problems.num_types()));
        run_on_threads(threads, [&] { advance(next, lockstep); });
    }

private:
    struct Slot {
        std::unique_ptr<Trajectory> trajectory;
        std::size_t index = 0;
    };

    struct Workspace {
        Workspace(const Dims& dims, std::size_t num_slots, int num_types)
            : attended(num_slots * static_cast<std::size_t>(num_types * dims.types_width)),
              queries(num_slots * static_cast<std::size_t>(num_types * dims.nodes_width)),
              residual(dims.has_residual ? queries.size() : 0) {}

        AlignedFloats attended;
        AlignedFloats queries;
        AlignedFloats residual;
    };

    [[nodiscard]] bool is_stopped() const { return request_.stop.load(std::memory_order_relaxed); }

    [[nodiscard]] const Problem& problem_of(std::size_t table) const {
        return *problems_[table * problems_.size() / tables_.size()];
    }

    [[nodiscard]] std::unique_ptr<Trajectory> make_trajectory() const {
        return std::make_unique<Trajectory>(weights_, kernels_, request_.problems.num_nodes(),
                                            request_.problems.num_types());
    }

    // One thread's share of the tables, each with the decision that all its trajectories begin with.
    void make_tables_and_openings(std::atomic<std::size_t>& next) {
        const std::size_t table_size = static_cast<std::size_t>(request_.problems.num_nodes()) *
                                       static_cast<std::size_t>(weights_.num_columns());
        std::vector<Slot> scout(1);
        scout.front().trajectory = make_trajectory();
        Workspace workspace(weights_.dims, scout.size(), request_.problems.num_types());
        for (std::size_t b; !is_stopped() && (b = next.fetch_add(1)) < tables_.size();) {
            tables_[b] = std::make_unique<NodeTable>(problem_of(b), weights_, request_.tables + b * table_size);
            scout.front().trajectory->start(problem_of(b), *tables_[b], 0, 0);
            score(scout, workspace);
            openings_[b] = scout.front().trajectory->opening();
        }
    }

    // One thread's trajectories: several in step, each replaced by the next one when it ends.
    void advance(std::atomic<std::size_t>& next, std::size_t lockstep) {
        std::vector<Slot> slots;
        for (std::size_t s = 0; s < lockstep; ++s) {
            Slot slot{make_trajectory(), 0};
            if (refill(slot, next)) slots.push_back(std::move(slot));
        }
        Workspace workspace(weights_.dims, lockstep, request_.problems.num_types());
        while (!slots.empty()) {
            if (is_stopped()) {
                for (const Slot& slot : slots) give_up(slot);
                refill(slots.front(), next);  // marks those not begun
                return;
            }
            score(slots, workspace);
            for (Slot& slot : slots) decide(slot);
            for (std::size_t s = 0; s < slots.size();) {
                if (!is_over(slots[s]) || refill(slots[s], next)) {
                    ++s;
                } else {
                    std::swap(slots[s], slots.back());
                    slots.pop_back();
                }
            }
        }
    }

    // Scores of the next decision of each, with one product for all.
    void score(std::vector<Slot>& slots, Workspace& workspace) const {
        const Dims& dims = weights_.dims;
        const auto E = static_cast<std::size_t>(dims.types_width);
        const auto A = static_cast<std::size_t>(dims.nodes_width);
        std::size_t rows = 0;
        for (const Slot& slot : slots) {
            slot.trajectory->encode_types(workspace.attended.data() + rows * E,
                                          dims.has_residual ? workspace.residual.data() + rows * A : nullptr);
            rows += static_cast<std::size_t>(slot.trajectory->acting().count);
        }
        kernels_.project(workspace.attended.data(), static_cast<int>(rows), dims.types_width, weights_.query.data(),
                         dims.nodes_width, weights_.query_bias.data(),
                         dims.has_residual ? workspace.residual.data() : nullptr, workspace.queries.data());
        const float* queries = workspace.queries.data();
        for (const Slot& slot : slots) {
            slot.trajectory->score(queries, request_.settings);
            queries += static_cast<std::size_t>(slot.trajectory->acting().count) * A;
        }
    }

    [[nodiscard]] bool is_over(const Slot& slot) const {
        return slot.trajectory->is_done() || std::isinf(result_.costs[slot.index]);
    }

    void give_up(const Slot& slot) { result_.costs[slot.index] = std::numeric_limits<double>::infinity(); }

    // Starts the next trajectory and makes its first decision; false when none is left. After a stop none is started.
    bool refill(Slot& slot, std::atomic<std::size_t>& next) {
        while ((slot.index = next.fetch_add(1)) < num_trajectories_) {
            const std::size_t first = slot.index * static_cast<std::size_t>(result_.max_steps);
            std::fill_n(result_.actions + first, result_.max_steps, -1);
            if (result_.log_probabilities) std::fill_n(result_.log_probabilities + first, result_.max_steps, 0.0F);
            if (is_stopped()) {
                give_up(slot);
                continue;
            }
            const std::size_t table = slot.index / static_cast<std::size_t>(request_.trajectories_per_table);
            const std::uint64_t turn = request_.stream_period ? slot.index % request_.stream_period : slot.index;
            slot.trajectory->start(problem_of(table), *tables_[table], request_.seed, request_.first_stream + turn);
            result_.costs[slot.index] = 0.0;
            slot.trajectory->open_with(openings_[table]);
            decide(slot);
            if (!is_over(slot)) return true;
        }
        return false;
    }

    void decide(Slot& slot) {
        Trajectory& trajectory = *slot.trajectory;
        const std::size_t at = slot.index * static_cast<std::size_t>(result_.max_steps) +
                               static_cast<std::size_t>(trajectory.num_steps());
        const int N = request_.problems.num_nodes();
        Choice choice{-1, -1, -std::numeric_limits<double>::infinity()};
        if (request_.forced) {
            if (const std::int32_t action = request_.forced[at]; action >= 0) {
                choice.type = action / N;
                choice.node = action % N;
                choice.log_probability =
                    trajectory.log_probability_of_forced(request_.settings, choice.type, choice.node);
            }
        } else if (!trajectory.choose(request_.settings, choice)) {
            choice.log_probability = -std::numeric_limits<double>::infinity();
        }
        if (std::isinf(choice.log_probability)) {
            give_up(slot);
            return;
        }
        result_.actions[at] = choice.type * N + choice.node;
        if (result_.log_probabilities)
            result_.log_probabilities[at] = static_cast<float>(choice.log_probability);
        trajectory.apply(choice.type, choice.node);
        if (trajectory.is_done()) result_.costs[slot.index] = trajectory.total_cost();
    }

    const FoldedWeights& weights_;
    const Kernels& kernels_;
    const RolloutRequest& request_;
    const RolloutResult& result_;
    const std::size_t num_trajectories_;
    std::vector<std::unique_ptr<Problem>> problems_;
    std::vector<std::unique_ptr<NodeTable>> tables_;
    std::vector<Opening> openings_;
};

}  // namespace

void rollout(const FoldedWeights& weights, const Kernels& kernels, const RolloutRequest& request,
             const RolloutResult& result) {
    Rollout(weights, kernels, request, result).run();
}

}  // namespace fripn::policy
