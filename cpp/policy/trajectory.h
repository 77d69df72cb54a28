// One trajectory under construction: where the vehicles are, which customers are left, and the next decision.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "policy/decoder.h"
#include "rng.h"

namespace fripn::policy {

struct Choice {
    int type;
    int node;
    double log_probability;
};

struct DecodeSettings {
    bool is_greedy = true;
    double temperature = 1.0;
    int top_k = 0;  // 0: all
    // The first type is drawn uniformly, or given by the first forced action.
    bool is_first_type_drawn = false;
};

// Buffers are sized once, for the largest problem; `start` and the steps allocate nothing.
class Trajectory {
public:
    Trajectory(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types);

    void start(const Problem& problem, const NodeTable& table, std::uint64_t seed, std::uint64_t stream);

    // The attention among types for the current state: num_types x E into `attended`.
    void encode_types(float* attended);

    // Rows of the types, whose last A columns are their residual queries.
    [[nodiscard]] const float* type_rows() const { return rows_.data(); }

    // Scores of all actions from the node queries (num_types x A).
    void score(const float* queries, const DecodeSettings& settings);

    // One decision from the scores; false at a dead end, where no vehicle is left to hire.
    bool choose(const DecodeSettings& settings, Choice& choice);

    // The log-probability of a decision made elsewhere; -infinity when it is not available.
    double log_probability_of_forced(const DecodeSettings& settings, int type, int node);

    void apply(int type, int node);

    [[nodiscard]] bool is_available(int type, int node) const;
    [[nodiscard]] bool is_done() const { return num_left_ == 0; }
    [[nodiscard]] int num_steps() const { return num_steps_; }

    // Fixed and travel cost so far, with the vehicles still out driving home.
    [[nodiscard]] double total_cost() const;

private:
    struct Vehicle {
        int location;
        double carried;
        std::int64_t hired;
        float threshold;  // customers of rank below it fit
    };

    [[nodiscard]] bool is_hireable(int type) const;
    void refit(int type);
    void remove_customer(int node);
    void build_rows();
    void add_row(float coefficient, const float* row);
    [[nodiscard]] float* scores_of(int type) { return scores_.data() + static_cast<std::ptrdiff_t>(type) * stride_; }
    [[nodiscard]] const float* scores_of(int type) const {
        return scores_.data() + static_cast<std::ptrdiff_t>(type) * stride_;
    }
    void restrict_to(int type);
    void keep_best(int count);
    void normalise();
    void choose_best(Choice& choice) const;
    void choose_at_random(Choice& choice);
    [[nodiscard]] double log_probability_of(int type, int node) const;

    const FoldedWeights& weights_;
    const Kernels& kernels_;
    const int num_types_;
    const int stride_;  // lanes for all nodes
    const Problem* problem_ = nullptr;
    const NodeTable* table_ = nullptr;
    Rng rng_{0};

    std::vector<Vehicle> vehicles_;
    double unserved_ = 0.0;
    double cost_ = 0.0;
    int num_left_ = 0;
    int num_steps_ = 0;

    // The depot and the unvisited customers, dense: a served customer's place is taken by the last one.
    int num_open_ = 0;
    std::vector<int> nodes_;
    std::vector<int> places_;
    AlignedFloats ranks_;
    AlignedFloats biases_;
    AlignedFloats keys_;
    AlignedFloats pointers_;
    AlignedFloats graph_sums_;

    AlignedFloats rows_;
    AlignedFloats shared_row_;
    std::vector<const float*> terms_;
    std::vector<float> coefficients_;
    AlignedFloats pair_scratch_;
    AlignedFloats mask_;
    AlignedFloats head_scratch_;
    AlignedFloats attended_;
    AlignedFloats scores_;
    AlignedFloats shares_;
    std::vector<float> best_scores_;
    std::vector<float> maxima_;
    std::vector<float> type_sums_;
    float maximum_ = 0.0F;
    double total_ = 0.0;
};

}  // namespace fripn::policy
