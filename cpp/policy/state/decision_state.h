// Where a trajectory stands before a decision, and the forward pass that scores its actions. Decoding draws from these
// scores, teacher forcing differentiates them.
#pragma once

#include <memory>
#include <vector>

#include "policy/state/fleet_state.h"
#include "policy/joint_attention.h"
#include "policy/state/open_nodes.h"
#include "policy/features/packing.h"
#include "policy/features/pair_term.h"

namespace fripn::policy {

// Buffers are sized once, for the largest problem; the steps allocate nothing. Rows of types that cannot be chosen in a
// decision are not computed, and their places are undefined.
class DecisionState {
public:
    // The types that can be chosen: all, or the one on the road where plans are made route by route.
    [[nodiscard]] TypeRange acting() const;

    // The attention among types for the current state: E channels for each acting type into `attended`, and its own
    // query (A channels) into `residual` if the weights have one.
    void encode_types(float* attended, float* residual);

    [[nodiscard]] bool is_available(int type, int node) const;
    [[nodiscard]] bool is_done() const { return fleet_.is_done(); }
    [[nodiscard]] int num_steps() const { return fleet_.num_steps(); }

protected:
    DecisionState(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types,
                  bool is_differentiable);
    ~DecisionState() = default;

    void start(const Problem& problem, const NodeTable& table);
    // Marks which type may go where; before the attention to the nodes.
    void update_mask();
    // Scores of all actions from what the types attend to: `scale` times tanh, in units of log2.
    void point(double scale);
    // The types whose attention to the others is computed: with one softmax for all, every type counts.
    [[nodiscard]] TypeRange attending() const { return weights_.dims.is_joint ? TypeRange{0, num_types_} : acting(); }
    // Makes all other types unavailable.
    void restrict_to(int type);
    void move(int type, int node);

    // What is needed of a type's row in this decision.
    struct ColumnRange {
        int first;
        int count;
    };
    [[nodiscard]] ColumnRange columns_of(int type) const;

    [[nodiscard]] std::ptrdiff_t row_of(int type) const { return static_cast<std::ptrdiff_t>(type) * stride_; }
    [[nodiscard]] float* attended_of(int type) {
        return attended_.data() + static_cast<std::ptrdiff_t>(type) * weights_.dims.nodes_width;
    }

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

    JointAttention joint_types_;
    JointAttention joint_nodes_;
    std::vector<Term> shared_terms_;
    std::vector<std::vector<Term>> terms_;
    AlignedFloats rows_;
    AlignedFloats type_weights_;
    AlignedFloats attended_types_;  // (K, E): of all types, with joint attention only
    AlignedFloats mask_;
    AlignedFloats attended_;
    AlignedFloats scores_;
    AlignedFloats shares_;
    std::vector<float> maxima_;

private:
    void combine(const std::vector<Term>& terms, ColumnRange columns, float* out);

    std::vector<float> thresholds_;
    std::unique_ptr<bool[]> is_employed_;
    AlignedFloats shared_row_;
};

}  // namespace fripn::policy
