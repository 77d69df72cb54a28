#include "policy/gradient.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "policy/gradient_step.h"

namespace fripn::policy {

namespace {

// Tables are dealt to this many workers, each with sums of its own, so that the result does not depend on the threads.
constexpr std::size_t max_workers = 16;

// Trajectories that share one pass over the projection's matrix.
constexpr std::size_t lockstep = 6;

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

class Worker {
public:
    Worker(const FoldedWeights& weights, const Kernels& kernels, const AlignedFloats& query_back,
           const GradientRequest& request, const GradientResult& result)
        : sum(weights),
          weights_(weights),
          kernels_(kernels),
          query_back_(query_back),
          request_(request),
          result_(result) {}

    // All trajectories of tables first, first + step, …; false when an action was not available.
    bool run(std::size_t first, std::size_t step) {
        table_index_ = first;
        table_step_ = step;
        const std::size_t K = size_of(request_.problems.num_types());
        const std::size_t E = size_of(weights_.dims.types_width), A = size_of(weights_.dims.nodes_width);
        std::vector<Slot> slots(lockstep);
        for (Slot& slot : slots)
            slot.step = std::make_unique<GradientStep>(weights_, kernels_, request_.problems.num_nodes(),
                                                       request_.problems.num_types());
        AlignedFloats attended(lockstep * K * E), d_attended(attended.size());
        AlignedFloats queries(lockstep * K * A), d_queries(queries.size()), residual;
        if (weights_.dims.has_residual) residual.resize(queries.size());
        std::erase_if(slots, [&](Slot& slot) { return !refill(slot); });
        while (!slots.empty() && is_sound_) {
            std::size_t rows = 0;
            for (Slot& slot : slots) {
                slot.first_row = rows;
                slot.step->encode_types(attended.data() + rows * E,
                                        residual.empty() ? nullptr : residual.data() + rows * A);
                rows += size_of(slot.step->acting().count);
            }
            kernels_.project(attended.data(), static_cast<int>(rows), weights_.dims.types_width, weights_.query.data(),
                             weights_.dims.nodes_width, weights_.query_bias.data(),
                             residual.empty() ? nullptr : residual.data(), queries.data());
            for (Slot& slot : slots) {
                const std::size_t at = place(slot);
                const double log_probability = slot.step->score(queries.data() + slot.first_row * A, target(slot));
                // A set of targets none of which is available.
                if (!std::isfinite(log_probability)) is_sound_ = false;
                result_.log_probabilities[at] = static_cast<float>(log_probability);
                if (request_.weights)
                    slot.step->differentiate(queries.data() + slot.first_row * A, request_.weights[at],
                                             d_queries.data() + slot.first_row * A);
            }
            if (request_.weights) go_back(slots, rows, attended, d_queries, d_attended);
            for (Slot& slot : slots) apply(slot);
            std::erase_if(slots, [&](Slot& slot) { return !advance(slot) && !refill(slot); });
        }
        if (request_.weights && is_sound_) add_node_inputs(first, step);
        return is_sound_;
    }

    WeightGradient sum;

private:
    struct Slot {
        std::unique_ptr<GradientStep> step;
        std::size_t table = 0;
        std::size_t trajectory = 0;
        std::size_t first_row = 0;  // of its acting types among those of all slots
    };

    [[nodiscard]] std::size_t place(const Slot& slot) const {
        return slot.trajectory * size_of(request_.num_steps) + size_of(slot.step->num_steps());
    }

    [[nodiscard]] Target target(const Slot& slot) const {
        const int N = request_.problems.num_nodes();
        const std::int32_t action = request_.actions[place(slot)];
        const std::uint8_t* ends =
            request_.ends ? request_.ends + slot.table * size_of(request_.problems.num_types()) * size_of(N) : nullptr;
        return {action / N, action % N, ends, request_.is_first_type_given && slot.step->num_steps() == 0};
    }

    // From the queries through the projection and the types.
    void go_back(std::vector<Slot>& slots, std::size_t rows, const AlignedFloats& attended,
                 const AlignedFloats& d_queries, AlignedFloats& d_attended) {
        const std::size_t E = size_of(weights_.dims.types_width), A = size_of(weights_.dims.nodes_width);
        kernels_.project(d_queries.data(), static_cast<int>(rows), weights_.dims.nodes_width, query_back_.data(),
                         weights_.dims.types_width, nullptr, nullptr, d_attended.data());
        kernels_.add_outer(attended.data(), weights_.dims.types_width, d_queries.data(), weights_.dims.nodes_width,
                           static_cast<int>(rows), sum.query.data());
        for (std::size_t r = 0; r < rows; ++r)
            kernels_.add_scaled(d_queries.data() + r * A, weights_.dims.nodes_width, 1.0F, sum.query_bias.data());
        for (Slot& slot : slots)
            slot.step->add_types(d_attended.data() + slot.first_row * E, d_queries.data() + slot.first_row * A);
    }

    void apply(Slot& slot) {
        const std::int32_t action = request_.actions[place(slot)];
        slot.step->apply(action / request_.problems.num_nodes(), action % request_.problems.num_nodes());
    }

    // To the next decision that counts; hands the trajectory over and returns false when there is none.
    bool advance(Slot& slot) {
        while (slot.step->num_steps() < request_.num_steps && !slot.step->is_done()) {
            const std::int32_t action = request_.actions[place(slot)];
            if (action < 0) break;
            const int type = action / request_.problems.num_nodes(), node = action % request_.problems.num_nodes();
            if (!slot.step->is_available(type, node)) {
                is_sound_ = false;
                break;
            }
            if (!request_.weights || request_.weights[place(slot)] != 0.0F) return true;
            slot.step->apply(type, node);
        }
        if (request_.weights) slot.step->finish(sum);
        return false;
    }

    bool refill(Slot& slot) {
        while (true) {
            if (trajectory_ == 0) {
                if (table_index_ >= size_of(request_.num_tables)) return false;
                prepare();
            }
            slot.table = table_index_;
            slot.trajectory = table_index_ * size_of(request_.trajectories_per_table) + trajectory_;
            const std::size_t size = size_of(request_.problems.num_nodes()) * size_of(weights_.num_columns());
            slot.step->start(*problems_.back(), *tables_.back(),
                             request_.weights ? result_.tables + table_index_ * size : nullptr);
            if (++trajectory_ == size_of(request_.trajectories_per_table)) {
                trajectory_ = 0;
                table_index_ += table_step_;
            }
            if (advance(slot)) return true;
        }
    }

    // What a node's part of the pair term gets from its own inputs, once its table's gradient is complete.
    void add_node_inputs(std::size_t first, std::size_t step) {
        if (!weights_.has_pairs()) return;
        const int width = weights_.dims.pair_width;
        const auto d_row = [&](PairRow row) { return sum.pairs.data() + static_cast<std::ptrdiff_t>(row) * width; };
        for (std::size_t t = 0; t < problems_.size(); ++t) {
            const Problem& problem = *problems_[t];
            const std::size_t table = first + t * step;
            for (std::size_t i = 0; i < problem.loads.size(); ++i) {
                const float* d_node = result_.tables +
                                      (table * problem.loads.size() + i) * size_of(weights_.num_columns()) +
                                      size_of(weights_.pair_column());
                kernels_.add_scaled(d_node, width, problem.depot_distances[i], d_row(PairRow::depot_distance));
                kernels_.add_scaled(d_node, width, problem.loads[i], d_row(PairRow::demand));
                if (i == 0) kernels_.add_scaled(d_node, width, 1.0F, d_row(PairRow::is_depot));
            }
        }
    }

    void prepare() {
        const std::size_t size = size_of(request_.problems.num_nodes()) * size_of(weights_.num_columns());
        problems_.push_back(std::make_unique<Problem>(request_.problems, table_index_, weights_));
        tables_.push_back(
            std::make_unique<NodeTable>(*problems_.back(), weights_, request_.tables + table_index_ * size));
        if (request_.weights) tables_.back()->make_value_blocks();
    }

    const FoldedWeights& weights_;
    const Kernels& kernels_;
    const AlignedFloats& query_back_;
    const GradientRequest& request_;
    const GradientResult& result_;
    std::size_t table_index_ = 0;
    std::size_t table_step_ = 1;
    std::size_t trajectory_ = 0;
    bool is_sound_ = true;
    std::vector<std::unique_ptr<Problem>> problems_;
    std::vector<std::unique_ptr<NodeTable>> tables_;
};

// The projection for the backward pass: A x E in blocks of 16 columns.
AlignedFloats transposed(const FoldedWeights& weights) {
    const std::size_t E = size_of(weights.dims.types_width), A = size_of(weights.dims.nodes_width);
    AlignedFloats result(E * A);
    for (std::size_t e = 0; e < E; ++e)
        for (std::size_t a = 0; a < A; ++a)
            result[(e / 16 * A + a) * 16 + e % 16] = weights.query[(a / 16 * E + e) * 16 + a % 16];
    return result;
}

void add(const AlignedFloats& from, float* to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

}  // namespace

bool gradient(const FoldedWeights& weights, const Kernels& kernels, const GradientRequest& request,
              const GradientResult& result) {
    const AlignedFloats query_back = transposed(weights);
    const std::size_t num_workers = std::min(max_workers, size_of(request.num_tables));
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::size_t w = 0; w < num_workers; ++w)
        workers.push_back(std::make_unique<Worker>(weights, kernels, query_back, request, result));
    std::atomic<std::size_t> next{0};
    std::atomic<bool> is_sound{true};
    const auto work = [&] {
        for (std::size_t w; (w = next.fetch_add(1)) < num_workers;)
            if (!workers[w]->run(w, num_workers)) is_sound = false;
    };
    {
        std::vector<std::jthread> helpers;
        for (int t = 1; t < request.num_threads; ++t) helpers.emplace_back(work);
        work();
    }
    for (const auto& worker : workers) {
        if (!request.weights) break;
        add(worker->sum.scalars, result.scalars);
        add(worker->sum.bias, result.bias);
        add(worker->sum.query, result.query);
        add(worker->sum.query_bias, result.query_bias);
        add(worker->sum.pairs, result.pairs);
    }
    return is_sound;
}

}  // namespace fripn::policy
