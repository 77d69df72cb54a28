// One trajectory on its way through teacher forcing, with the gradients it leaves behind.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "policy/fleet_state.h"
#include "policy/open_nodes.h"
#include "policy/packing.h"
#include "policy/pair_term.h"

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

// What the loss asks of a decision.
struct Target {
    int type;
    int node;
    const std::uint8_t* ends;  // (K, N), or nullptr
    bool is_type_given;
};

class GradientStep {
public:
    GradientStep(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types);

    // `d_table` gathers the gradient of the table; nullptr when only scores are wanted.
    void start(const Problem& problem, const NodeTable& table, float* d_table);

    [[nodiscard]] bool is_available(int type, int node) const;
    [[nodiscard]] int num_steps() const { return fleet_.num_steps(); }
    [[nodiscard]] bool is_done() const { return fleet_.is_done(); }

    // The steps of a decision, in order: types, (projection by the caller), nodes, and for the gradient nodes again,
    // (back through the projection), types again.
    void encode_types(float* attended);
    [[nodiscard]] const float* type_rows() const { return rows_.data(); }
    // Gives the log-probability of the target.
    double score(const float* queries, const Target& target);
    // Gives the gradient of the queries (K, A) for a decision of that weight, which was scored just before.
    void differentiate(const float* queries, float weight, float* d_queries);
    // `d_queries` is the gradient of the residual too.
    void add_types(const float* d_attended, const float* d_queries);

    void apply(int type, int node);

    // Hand over what is left; the trajectory must be started again after it.
    void finish(WeightGradient& sum);

private:
    void combine(const std::vector<Term>& terms, float* out);
    void add_terms(const std::vector<Term>& terms, const float* d_row);
    [[nodiscard]] float* gradient_of(const Term& term);
    double mark_targets(const Target& target);
    [[nodiscard]] float score_scale() const;
    void flush(int node, int place);
    void add_scalars(WeightGradient& sum) const;

    const FoldedWeights& weights_;
    const Kernels& kernels_;
    const int num_types_;
    FleetState fleet_;
    OpenNodes open_;
    PairTerm pair_;
    Packing packing_;
    const int stride_;
    const Problem* problem_ = nullptr;
    const NodeTable* table_ = nullptr;
    float* d_table_ = nullptr;

    // Forward values of the current decision.
    std::vector<Term> shared_terms_;
    std::vector<std::vector<Term>> terms_;
    std::vector<const float*> term_rows_;
    std::vector<float> coefficients_;
    std::vector<float> thresholds_;
    std::unique_ptr<bool[]> is_employed_;
    AlignedFloats rows_;
    AlignedFloats shared_row_;
    AlignedFloats type_weights_;
    AlignedFloats mask_;
    AlignedFloats node_weights_;
    AlignedFloats attended_;
    AlignedFloats scores_;
    AlignedFloats shares_;
    AlignedFloats targets_;
    std::vector<float> maxima_;
    double total_ = 0.0;  // of all shares, and of those of the targets
    double hit_ = 0.0;

    // Gradients of the current decision.
    AlignedFloats d_sums_;
    AlignedFloats d_attended_;
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
    AlignedFloats d_scalars_;  // cover and pack scalars
};

}  // namespace fripn::policy
