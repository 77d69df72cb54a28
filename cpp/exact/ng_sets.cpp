#include "exact/ng_sets.h"

#include <algorithm>
#include <utility>

namespace fripn::exact {

NgSets::NgSets(const Problem& problem, int size) : stops_(problem.num_stops()), neighbours_(static_cast<std::size_t>(stops_)) {
    for (int i = 1; i < stops_; ++i) {
        std::vector<int>& near = neighbours_[static_cast<std::size_t>(i)];
        for (int j = 1; j < stops_; ++j)
            if (j != i) near.push_back(j);
        const auto length = [&](int j) { return problem.distance(i, j) + problem.distance(j, i); };
        const auto kept = std::min(near.size(), static_cast<std::size_t>(std::clamp(size, 0, max_size)));
        std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(kept), near.end(), [&](int a, int b) {
            return length(a) != length(b) ? length(a) < length(b) : a < b;
        });
        near.resize(kept);
    }
    prepare();
}

NgSets::NgSets(const Problem& problem, std::vector<std::vector<int>> neighbours)
    : stops_(problem.num_stops()), neighbours_(std::move(neighbours)) {
    prepare();
}

void NgSets::prepare() {
    const auto stops = static_cast<std::size_t>(stops_);
    bits_.assign(stops * stops, 0);
    carry_index_.assign(stops * stops, 0);
    carries_.assign(1, Carry{});
    for (int i = 1; i < stops_; ++i) {
        const std::vector<int>& near = neighbours_[static_cast<std::size_t>(i)];
        largest_ = std::max(largest_, static_cast<int>(near.size()));
        for (std::size_t p = 0; p < near.size(); ++p) bits_[index(i, near[p])] = static_cast<Memory>(1U << p);
    }
    for (int i = 1; i < stops_; ++i)
        for (int j = 1; j < stops_; ++j) {
            if (i == j) continue;
            Carry carry;
            carry.base_ = bit(j, i);
            bool is_zero = carry.base_ == 0;
            const std::vector<int>& near = neighbours_[static_cast<std::size_t>(i)];
            for (std::size_t p = 0; p < near.size(); ++p) {
                const Memory target = bit(j, near[p]);
                if (target == 0) continue;
                is_zero = false;
                auto& table = p < 4 ? carry.low_ : p < 8 ? carry.middle_ : carry.high_;
                for (unsigned m = 0; m < 16; ++m)
                    if (m >> (p % 4) & 1U) table[m] = static_cast<Memory>(table[m] | target);
            }
            if (is_zero) continue;
            carry_index_[index(i, j)] = static_cast<int>(carries_.size());
            carries_.push_back(carry);
        }
}

}  // namespace fripn::exact
