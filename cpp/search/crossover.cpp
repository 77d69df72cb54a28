#include "search/crossover.h"

namespace fripn::search {

const std::vector<int>& OrderedCrossover::operator()(const std::vector<int>& first, const std::vector<int>& second,
                                                     Rng& rng) {
    const std::size_t n = first.size();
    child_.resize(n);
    taken_.assign(n + 1, 0);
    const std::size_t start = rng.below(n);
    const std::size_t length = 1 + rng.below(n);
    std::size_t filled = start;
    for (std::size_t i = 0; i < length; ++i, filled = (filled + 1) % n) {
        child_[filled] = first[filled];
        taken_[static_cast<std::size_t>(first[filled])] = 1;
    }
    const std::size_t end = filled;
    for (std::size_t i = 0; i < n; ++i) {
        const int customer = second[(end + i) % n];
        if (taken_[static_cast<std::size_t>(customer)]) continue;
        child_[filled] = customer;
        filled = (filled + 1) % n;
    }
    return child_;
}

}  // namespace fripn::search
