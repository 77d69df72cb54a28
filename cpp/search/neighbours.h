// For every customer the customers nearest to it, nearest first.
#pragma once

#include <cstddef>
#include <vector>

#include "instance.h"

namespace fripn::search {

// Distances count in both directions, so asymmetric matrices are fine. With coordinates the lists come
// from a grid: near-linear time and no full matrix.
class Neighbours {
public:
    Neighbours(const Instance& instance, int max_per_customer);

    [[nodiscard]] int per_customer() const { return per_customer_; }
    [[nodiscard]] const int* begin(int customer) const {
        return &lists_[static_cast<std::size_t>(customer - 1) * static_cast<std::size_t>(per_customer_)];
    }
    [[nodiscard]] const int* end(int customer) const { return begin(customer) + per_customer_; }

private:
    void from_all(const Instance& instance);
    void from_grid(const Instance& instance);

    int per_customer_;
    std::vector<int> lists_;
};

}  // namespace fripn::search
