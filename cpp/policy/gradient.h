// Log-probabilities of given decisions and their gradient, in one pass over each trajectory.
//
// Teacher forcing: the states follow from the actions, so each decision is a function of weights and embeddings
// alone. A pass recomputes its forward values and differentiates them at once; nothing is stored between steps.
#pragma once

#include <cstdint>

#include "policy/decoder_inputs.h"

namespace fripn::policy {

struct GradientRequest {
    const ProblemSet& problems;  // one per table
    int num_tables;        // B
    const float* tables;   // (B, N, columns)
    int trajectories_per_table;
    int num_steps;
    const std::int32_t* actions;  // (B * J, T): type * N + node, -1 after the end
    // (B * J, T): of each decision in the loss; those of weight 0 cost nothing. nullptr: no gradient is wanted, but
    // the log-probabilities of all decisions.
    const float* weights;
    // (B, K, N) or nullptr: while all vehicles are at the depot, the target is not the action alone but every
    // available (type, customer) marked here.
    const std::uint8_t* ends;
    bool is_first_type_given;  // the first decision is among its type's nodes
    int num_threads;
};

// The gradient of the loss, minus the sum of weights * log probability of the targets. All arrays start as zeros.
// Without weights, only the log-probabilities are used.
struct GradientResult {
    float* log_probabilities;  // (B * J, T)
    float* tables;             // (B, N, columns)
    float* scalars;            // (S, row_width)
    float* bias;               // (row_width)
    float* query;              // (E, A)
    float* query_bias;         // (A)
    float* pairs;              // (num_pair_rows, pair_width)
};

// False when an action was not available where it was taken. Sums are made in an order that does not depend on the
// number of threads.
[[nodiscard]] bool gradient(const FoldedWeights& weights, const Kernels& kernels, const GradientRequest& request,
                            const GradientResult& result);

}  // namespace fripn::policy
