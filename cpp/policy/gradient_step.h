// One trajectory during teacher forcing, with the gradients it accumulates.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/state/decision_state.h"

namespace fripn::policy {

// What the trajectories of one worker add up; the layout is that of FoldedWeights (query not in blocks).
struct WeightGradient {
    explicit WeightGradient(const FoldedWeights& weights);

    AlignedFloats scalars;
    AlignedFloats bias;
    AlignedFloats query;
    AlignedFloats query_bias;
    AlignedFloats pairs;
};

// Target of a decision in the loss.
struct Target {
    int type;
    int node;
    const std::uint8_t* ends;  // (K, N), or nullptr
    bool is_type_given;
};

class GradientStep : public DecisionState {
public:
    GradientStep(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types);

    // `d_table` gathers the gradient of the table; nullptr when only scores are wanted.
    void start(const Problem& problem, const NodeTable& table, float* d_table);

    // The steps of a decision, in order: types (`encode_types`), (projection by the caller), nodes, and for the
    // gradient nodes again, (back through the projection), types again.
    //
    // Returns the log-probability of the target.
    double score(const float* queries, const Target& target);
    // Returns the gradient of the queries (of the acting types, A each) for a decision of that weight, which was scored
    // just before.
    void differentiate(const float* queries, float weight, float* d_queries);
    // `d_queries` is the gradient of the residual too.
    void add_types(const float* d_attended, const float* d_queries);

    void apply(int type, int node);

    // Hand over what is left; the trajectory must be started again after it.
    void finish(WeightGradient& sum);

private:
    void add_terms(const std::vector<Term>& terms, ColumnRange columns, const float* d_row);
    [[nodiscard]] float* gradient_of(const Term& term);
    double mark_targets(const Target& target);
    [[nodiscard]] double score_scale() const;
    void flush(int node, int place);
    void add_scalars(WeightGradient& sum) const;

    float* d_table_ = nullptr;

    // Forward values of the current decision.
    AlignedFloats node_weights_;
    AlignedFloats targets_;
    double total_ = 0.0;  // of all shares, and of those of the targets
    double hit_ = 0.0;

    // Gradients of the current decision.
    AlignedFloats d_sums_;
    AlignedFloats d_attended_;
    AlignedFloats d_attended_types_;  // (K, E), with joint attention only
    AlignedFloats d_rows_;
    AlignedFloats d_shared_;
    AlignedFloats scratch_;

    // Sums over the trajectory. Those of keys and pointers lie like the open nodes and move with them.
    AlignedFloats values_;
    AlignedFloats d_keys_;
    AlignedFloats d_pointers_;
    AlignedFloats d_biases_;
    AlignedFloats d_candidate_;
    AlignedFloats d_employed_;
    AlignedFloats d_graph_;
    AlignedFloats d_single_;   // load, regret, net regret, value
    AlignedFloats d_scalars_;  // by Scalar; those that are merged into other rows stay 0
};

}  // namespace fripn::policy
