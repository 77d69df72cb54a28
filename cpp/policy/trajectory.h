// One trajectory under construction: where the vehicles are, which customers are left, and the next decision.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "policy/decoder.h"
#include "policy/fleet_state.h"
#include "policy/open_nodes.h"
#include "policy/packing.h"
#include "policy/pair_term.h"
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

// The scores of the first decision, which all trajectories of one table have in common.
struct Opening {
    AlignedFloats scores;
    std::vector<float> maxima;
};

// Buffers are sized once, for the largest problem; `start` and the steps allocate nothing.
class Trajectory {
public:
    Trajectory(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types);

    void start(const Problem& problem, const NodeTable& table, std::uint64_t seed, std::uint64_t stream);

    // The attention among types for the current state: num_types x E into `attended`.
    void encode_types(float* attended);

    // Rows of the types, with their residual queries behind query | key | value.
    [[nodiscard]] const float* type_rows() const { return rows_.data(); }

    // Scores of all actions from the node queries (num_types x A).
    void score(const float* queries, const DecodeSettings& settings);

    [[nodiscard]] Opening opening() const { return {scores_, maxima_}; }
    // Instead of the first `score`.
    void open_with(const Opening& opening);

    // One decision from the scores; false at a dead end, where no vehicle is left to hire.
    bool choose(const DecodeSettings& settings, Choice& choice);

    // The log-probability of a decision made elsewhere; -infinity when it is not available.
    double log_probability_of_forced(const DecodeSettings& settings, int type, int node);

    void apply(int type, int node);

    [[nodiscard]] bool is_available(int type, int node) const;
    [[nodiscard]] bool is_done() const { return fleet_.is_done(); }
    [[nodiscard]] int num_steps() const { return fleet_.num_steps(); }
    [[nodiscard]] double total_cost() const { return fleet_.total_cost(); }

private:
    void combine(const std::vector<Term>& terms, float* out);
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
    FleetState fleet_;
    OpenNodes open_;
    PairTerm pair_;
    Packing packing_;
    const int stride_;  // lanes for all nodes
    const Problem* problem_ = nullptr;
    const NodeTable* table_ = nullptr;
    Rng rng_{0};

    std::vector<Term> terms_;
    std::vector<const float*> term_rows_;
    std::vector<float> coefficients_;
    std::vector<float> thresholds_;
    std::unique_ptr<bool[]> is_employed_;
    AlignedFloats rows_;
    AlignedFloats shared_row_;
    AlignedFloats type_weights_;
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
