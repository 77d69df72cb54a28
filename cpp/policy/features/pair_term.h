// The pair term of one trajectory: added to the score of (type, node) for the distance between them and the load.
#pragma once

#include <vector>

#include "policy/state/open_nodes.h"
#include "policy/features/packing.h"

namespace fripn::policy {

class PairTerm {
public:
    // Without a pair term in the weights, everything below does nothing. `is_differentiable` makes room for
    // `differentiate`.
    PairTerm(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types,
             bool is_differentiable);

    void start(const Problem& problem, const NodeTable& table);

    // After `open` has lost a customer.
    void remove(OpenNodes::Removal removal);

    // A vehicle has gone to a node; after `remove`.
    void move(int type, int node, const OpenNodes& open);

    // Terms (K, stride) from the rows of the types, undefined where a node is not available and for other types than
    // `types`; nullptr without a pair term.
    const float* score(const float* rows, TypeRange types, const OpenNodes& open, const PairWastes& wastes);

    // From the gradient of the terms that were scored just before (with `open` unchanged) to those of the nodes and of
    // the weights (kept) and of the rows of the types (set in the columns of the pair term).
    void differentiate(const float* rows, TypeRange types, const OpenNodes& open, const PairWastes& wastes,
                       const float* d_sums, float* d_rows);

    // Adds what was kept for the nodes to the gradient of the table; after it, `d_weights` is complete.
    void finish(float* d_table);

    // Gradient of FoldedWeights::pairs over the trajectory, without what comes through the nodes.
    AlignedFloats d_weights;

private:
    void update_surroundings(int customer, const OpenNodes& open);
    void hand_over(int node);
    [[nodiscard]] PairInputs inputs(const float* rows, TypeRange types, const OpenNodes& open,
                                    const PairWastes& wastes) const;

    const FoldedWeights& weights_;
    const Kernels& kernels_;
    const int num_types_;
    const Problem* problem_ = nullptr;
    const NodeTable* table_ = nullptr;
    Surroundings surroundings_;
    AlignedFloats nodes_;         // [block][pair_width][16]: the open nodes' part of the hidden layer
    AlignedFloats node_row_;      // (pair_width)
    AlignedFloats loads_;         // per place
    AlignedFloats xs_, ys_;       // where the node at each place is
    AlignedFloats distances_;     // (K, stride): from each type's place to the open nodes
    AlignedFloats sums_;          // (K, stride)
    AlignedFloats distance_row_;  // effect of a unit of distance at this step
    AlignedFloats d_distance_row_;
    // For the gradient, else empty.
    AlignedFloats node_rows_;    // (N, pair_width): the nodes' part again
    std::vector<SurroundingInputs> node_inputs_;  // that these were made with
    AlignedFloats d_node_rows_;  // since the surroundings of each last changed
    AlignedFloats d_nodes_;      // before that
};

}  // namespace fripn::policy
