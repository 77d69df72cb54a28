// Many trajectories at once, on several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "policy/decoder_inputs.h"
#include "policy/state/trajectory.h"

namespace fripn::policy {

struct RolloutRequest {
    const ProblemSet& problems;
    const float* tables;  // (B, N, columns)
    int num_tables;       // B, a multiple of the number of problems: tables of one problem lie together
    int trajectories_per_table;
    DecodeSettings settings;
    std::uint64_t seed;
    std::uint64_t first_stream;   // trajectory t draws from stream first_stream + t,
    std::uint64_t stream_period;  // modulo the period, unless that is 0
    int num_threads;
    const std::int32_t* forced;  // (trajectories, max_steps) actions to follow, or nullptr
    const std::atomic<bool>& stop;  // checked before every decision
};

// Views of the caller's arrays, one row per trajectory. Unused steps are -1 and 0.
struct RolloutResult {
    std::int32_t* actions;     // (trajectories, max_steps): type * N + node
    double* costs;             // infinity at a dead end, and where a stop left the trajectory unfinished
    float* log_probabilities;  // (trajectories, max_steps), or nullptr
    int max_steps;
};

// Each customer once, and at most one return to the depot between two of them.
[[nodiscard]] inline int max_steps_for(int num_nodes) { return 2 * (num_nodes - 1) - 1; }

// Makes the same trajectories whatever the number of threads. Forced actions that are not available end their
// trajectory with infinite cost. Once `stop` is set, trajectories that are under way keep the actions taken so far, and
// those not begun have none.
void rollout(const FoldedWeights& weights, const Kernels& kernels, const RolloutRequest& request,
             const RolloutResult& result);

}  // namespace fripn::policy
