// Where a trajectory stands before a decision, and the forward pass that scores its actions. Decoding draws from these
// scores, teacher forcing differentiates them.
#pragma once

#include <memory>
#include <vector>

#include "policy/fleet_state.h"
#include "policy/open_nodes.h"
#include "policy/packing.h"
#include "policy/pair_term.h"

namespace fripn::policy {

// Buffers are sized once, for the largest problem; the steps allocate nothing.
class DecisionState {
public:
    // The attention among types for the current state: num_types x E into `attended`.
    void encode_types(float* attended);

    // Rows of the types, with their residual queries behind query | key | value.
    [[nodiscard]] const float* type_rows() const { return rows_.data(); }

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
    // Leaves no other type a choice.
    void restrict_to(int type);
    void move(int type, int node);

    [[nodiscard]] std::ptrdiff_t row_of(int type) const { return static_cast<std::ptrdiff_t>(type) * stride_; }

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

    std::vector<Term> shared_terms_;
    std::vector<std::vector<Term>> terms_;
    AlignedFloats rows_;
    AlignedFloats type_weights_;
    AlignedFloats mask_;
    AlignedFloats attended_;
    AlignedFloats scores_;
    AlignedFloats shares_;
    std::vector<float> maxima_;

private:
    void combine(const std::vector<Term>& terms, float* out);

    std::vector<const float*> term_rows_;
    std::vector<float> coefficients_;
    std::vector<float> thresholds_;
    std::unique_ptr<bool[]> is_employed_;
    AlignedFloats shared_row_;
};

}  // namespace fripn::policy
