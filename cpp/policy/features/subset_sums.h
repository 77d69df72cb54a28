// Sums of subsets of demands.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "policy/decoder_inputs.h"

namespace fripn::policy {

// The sums of all subsets of some demands, in whole cells of load: a bit per sum.
class SubsetSums {
public:
    // Of no demands: the empty sum alone.
    SubsetSums() { words_[0] = 1; }

    // One more demand. Sums beyond the first `num_words` words are dropped.
    void add(int demand, int num_words) {
        const int skip = demand / 64, bits = demand % 64;
        if (demand == 0) return;
        if (num_words == 2 && skip == 0) {  // the usual case nearby
            words_[1] |= words_[1] << bits | words_[0] >> (64 - bits);
            words_[0] |= words_[0] << bits;
            return;
        }
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

}  // namespace fripn::policy
