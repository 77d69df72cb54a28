// A small seeded generator (xoshiro256**), the only source of chance in the core.
//
// Reference: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators",
// ACM Trans. Math. Softw. 47 (2021), doi 10.1145/3460772.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace fripn {

class Rng {
public:
    using result_type = std::uint64_t;

    // `stream` gives independent generators for the same seed: one per thread or trajectory.
    explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) {
        std::uint64_t x = seed ^ (stream * 0xD1342543DE82EF95ULL + 0x632BE59BD9B4E019ULL);
        for (auto& word : state_) word = split_mix(x);
    }

    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

    result_type operator()() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // Uniform in [0, 1).
    double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

    // Uniform in {0, …, bound - 1}; bound > 0. The bias of the multiply-shift is below 2^-32 here.
    std::size_t below(std::size_t bound) {
        return static_cast<std::size_t>(
            (static_cast<std::uint64_t>((*this)() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
    }

    template <class Container>
    void shuffle(Container& items) {
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

private:
    static std::uint64_t split_mix(std::uint64_t& x) {
        std::uint64_t z = (x += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace fripn
