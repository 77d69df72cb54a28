// What each choice leaves unfillable: the room of a vehicle that no subset of the unserved demands fills.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/fleet_state.h"
#include "policy/open_nodes.h"

namespace fripn::policy {

// With more customers left, subsets fill nearly any room, and telling so would cost more than it is worth.
inline constexpr int max_packed_customers = 24;

// The sums of all subsets of some demands, in whole cells of load: a bit per sum.
class SubsetSums {
public:
    // Of no demands: the empty sum alone.
    SubsetSums() { words_[0] = 1; }

    // One more demand. Sums beyond the first `num_words` words are of no interest.
    void add(int demand, int num_words) {
        const int skip = demand / 64, bits = demand % 64;
        if (demand == 0) return;
        // Downwards, so that every word is read before it changes.
        for (int w = num_words - 1; w >= skip; --w) {
            std::uint64_t moved = word(w - skip) << bits;
            if (bits > 0 && w > skip) moved |= word(w - skip - 1) >> (64 - bits);
            words_[static_cast<std::size_t>(w)] |= moved;
        }
    }

    // The largest sum that is at most `cell`, which is not negative.
    [[nodiscard]] int largest_within(int cell) const {
        int w = cell / 64;
        std::uint64_t found = word(w) & (~std::uint64_t{0} >> (63 - cell % 64));
        while (found == 0) found = word(--w);  // the empty sum is always there
        return 64 * w + 63 - std::countl_zero(found);
    }

private:
    [[nodiscard]] std::uint64_t word(int index) const { return words_[static_cast<std::size_t>(index)]; }

    std::array<std::uint64_t, num_load_cells / 64> words_{};
};

// The unfillable room of one trajectory, decision by decision; `update` allocates nothing.
class Packing {
public:
    // Without pack features in the weights, everything below does nothing.
    Packing(const FoldedWeights& weights, int num_nodes, int num_types);

    void start(const Problem& problem);

    // To be called before each decision.
    void update(const FleetState& fleet, const OpenNodes& open);

    // Room of the type's vehicle that stays empty whoever is served; 0 with many customers left.
    [[nodiscard]] float waste(int type) const { return wastes_[static_cast<std::size_t>(type)]; }

    // (K, stride): the same after serving the customer at a place, where it is available; at the depot's place, the
    // room that is given up by returning. nullptr without a pair term or pack features.
    [[nodiscard]] const float* pair_wastes() const { return pair_wastes_.empty() ? nullptr : pair_wastes_.data(); }

private:
    void leave_one_out(const FleetState& fleet, const OpenNodes& open, const SubsetSums& others, int first, int last);
    [[nodiscard]] float unfilled(double room, const SubsetSums& sums) const;

    const bool is_active_;
    const int num_types_;
    const std::ptrdiff_t stride_;
    const Problem* problem_ = nullptr;
    std::array<int, max_packed_customers> demands_{};  // in cells, by place without the depot
    std::vector<float> wastes_;
    AlignedFloats pair_wastes_;
};

}  // namespace fripn::policy
