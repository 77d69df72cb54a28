// Two parents' giant tours make a child's.
#pragma once

#include <vector>

#include "rng.h"

namespace fripn::search {

// Ordered crossover: a stretch of the first tour, then the rest in the order of the second.
class OrderedCrossover {
public:
    const std::vector<int>& operator()(const std::vector<int>& first, const std::vector<int>& second, Rng& rng);

private:
    std::vector<int> child_;
    std::vector<char> taken_;
};

}  // namespace fripn::search
