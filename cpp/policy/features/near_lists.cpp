#include "policy/features/near_lists.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fripn::policy {

NearLists::NearLists(const double* coordinates, int num_nodes) {
    const auto N = static_cast<std::size_t>(num_nodes);
    std::vector<std::pair<double, int>> others;
    starts_ = {0, 0};
    for (int i = 1; i < num_nodes; ++i) {
        others.clear();
        for (int j = 1; j < num_nodes; ++j) {
            if (j == i) continue;
            const double dx = coordinates[2 * i] - coordinates[2 * j];
            const double dy = coordinates[2 * i + 1] - coordinates[2 * j + 1];
            others.emplace_back(dx * dx + dy * dy, j);
        }
        const auto last = others.begin() + std::min<std::ptrdiff_t>(num_listed, std::ssize(others));
        std::partial_sort(others.begin(), last, others.end());
        for (auto it = others.begin(); it != last; ++it) {
            nearest_.push_back(it->second);
            distances_.push_back(static_cast<float>(std::sqrt(it->first)));
        }
        starts_.push_back(nearest_.size());
    }
    listing_starts_.assign(N + 1, 0);
    for (const int j : nearest_) ++listing_starts_[static_cast<std::size_t>(j) + 1];
    std::partial_sum(listing_starts_.begin(), listing_starts_.end(), listing_starts_.begin());
    listings_.resize(nearest_.size());
    std::vector<std::size_t> next = listing_starts_;
    for (int i = 1; i < num_nodes; ++i)
        for (int place = 0; const int j : of(i)) listings_[next[static_cast<std::size_t>(j)]++] = {i, place++};
}

}  // namespace fripn::policy
