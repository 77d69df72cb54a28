#include "search/neighbours.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fripn::search {

namespace {

// Below this size sorting all distances is as quick as the grid.
constexpr int min_customers_for_grid = 400;

struct Candidate {
    double distance;
    int customer;
    bool operator<(const Candidate& other) const {
        return distance != other.distance ? distance < other.distance : customer < other.customer;
    }
};

}  // namespace

Neighbours::Neighbours(const Instance& instance, int max_per_customer)
    : per_customer_(std::min(max_per_customer, instance.num_customers() - 1)) {
    lists_.resize(static_cast<std::size_t>(per_customer_) * static_cast<std::size_t>(instance.num_customers()) + 1);
    if (per_customer_ == 0) return;
    if (instance.has_coordinates() && instance.is_symmetric() && instance.num_customers() >= min_customers_for_grid)
        from_grid(instance);
    else
        from_all(instance);
}

void Neighbours::from_all(const Instance& instance) {
    const int n = instance.num_customers();
    std::vector<Candidate> candidates;
    auto* out = lists_.data();
    for (int i = 1; i <= n; ++i) {
        candidates.clear();
        for (int j = 1; j <= n; ++j)
            if (j != i) candidates.push_back({instance.distance(i, j) + instance.distance(j, i), j});
        std::partial_sort(candidates.begin(), candidates.begin() + per_customer_, candidates.end());
        for (int c = 0; c < per_customer_; ++c) *out++ = candidates[static_cast<std::size_t>(c)].customer;
    }
}

void Neighbours::from_grid(const Instance& instance) {
    const int n = instance.num_customers();
    double min_x = instance.x(1);
    double max_x = min_x;
    double min_y = instance.y(1);
    double max_y = min_y;
    for (int i = 2; i <= n; ++i) {
        min_x = std::min(min_x, instance.x(i));
        max_x = std::max(max_x, instance.x(i));
        min_y = std::min(min_y, instance.y(i));
        max_y = std::max(max_y, instance.y(i));
    }
    const int side = std::max(1, static_cast<int>(std::sqrt(n / 3.0)));
    const auto cell_of = [side](double value, double low, double high) {
        if (high <= low) return 0;
        return std::min(side - 1, static_cast<int>((value - low) / (high - low) * side));
    };
    std::vector<std::vector<int>> cells(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    const auto cell = [&](int row, int column) -> std::vector<int>& {
        return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(side) + static_cast<std::size_t>(column)];
    };
    for (int i = 1; i <= n; ++i)
        cell(cell_of(instance.y(i), min_y, max_y), cell_of(instance.x(i), min_x, max_x)).push_back(i);

    std::vector<Candidate> candidates;
    auto* out = lists_.data();
    for (int i = 1; i <= n; ++i) {
        const int row = cell_of(instance.y(i), min_y, max_y);
        const int column = cell_of(instance.x(i), min_x, max_x);
        candidates.clear();
        // Rings of cells around the customer's own until enough are found, and one ring more for the
        // corners: close to exact, which is all that a candidate list needs.
        for (int radius = 0, extra = 0; radius < side && extra < 2; ++radius) {
            for (int r = std::max(0, row - radius); r <= std::min(side - 1, row + radius); ++r)
                for (int c = std::max(0, column - radius); c <= std::min(side - 1, column + radius); ++c) {
                    if (std::max(std::abs(r - row), std::abs(c - column)) != radius) continue;
                    for (const int j : cell(r, c))
                        if (j != i) candidates.push_back({instance.distance(i, j), j});
                }
            if (static_cast<int>(candidates.size()) >= per_customer_) ++extra;
        }
        std::partial_sort(candidates.begin(), candidates.begin() + per_customer_, candidates.end());
        for (int c = 0; c < per_customer_; ++c) *out++ = candidates[static_cast<std::size_t>(c)].customer;
    }
}

}  // namespace fripn::search
