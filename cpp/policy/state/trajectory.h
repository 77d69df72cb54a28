// One trajectory under construction: where the vehicles are, which customers are left, and the next decision.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/state/decision_state.h"
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

class Trajectory : public DecisionState {
public:
    Trajectory(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types);

    void start(const Problem& problem, const NodeTable& table, std::uint64_t seed, std::uint64_t stream);

    // Scores of all actions from the node queries of the acting types (A channels each).
    void score(const float* queries, const DecodeSettings& settings);

    [[nodiscard]] Opening opening() const { return {scores_, maxima_}; }
    // Instead of the first `score`.
    void open_with(const Opening& opening);

    // One decision from the scores; false at a dead end, where no vehicle is left to hire.
    bool choose(const DecodeSettings& settings, Choice& choice);

    // The log-probability of a decision made elsewhere; -infinity when it is not available.
    double log_probability_of_forced(const DecodeSettings& settings, int type, int node);

    void apply(int type, int node);

    [[nodiscard]] double total_cost() const { return fleet_.total_cost(); }

private:
    [[nodiscard]] float* scores_of(int type) { return scores_.data() + row_of(type); }
    [[nodiscard]] const float* scores_of(int type) const { return scores_.data() + row_of(type); }
    void keep_best(int count);
    void normalise();
    void choose_best(Choice& choice) const;
    void choose_at_random(Choice& choice);
    [[nodiscard]] double log_probability_of(int type, int node) const;

    Rng rng_{0};
    AlignedFloats head_scratch_;
    std::vector<float> best_scores_;
    std::vector<float> type_sums_;
    float maximum_ = 0.0F;
    double total_ = 0.0;
};

}  // namespace fripn::policy
