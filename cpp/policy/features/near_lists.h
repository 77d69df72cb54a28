// The customers nearest to each customer, and the customers whose lists contain it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fripn::policy {

class NearLists {
public:
    // Number of customers listed; the first of them that are unserved are used.
    static constexpr int num_listed = 16;
    static constexpr int num_used = 8;

    // A customer whose list contains the given one, and the place in that list.
    struct Listing {
        int customer;
        int place;
    };

    NearLists() = default;

    // Coordinates (N, 2); the depot is in no list and has no list. Nearest first, equals in the order of their numbers.
    NearLists(const double* coordinates, int num_nodes);

    [[nodiscard]] std::span<const int> of(int customer) const { return part(nearest_, starts_, customer); }
    // Straight lines to those, as long as the list.
    [[nodiscard]] std::span<const float> distances_of(int customer) const { return part(distances_, starts_, customer); }
    [[nodiscard]] std::span<const Listing> listings_of(int customer) const {
        return part(listings_, listing_starts_, customer);
    }

private:
    template <class T>
    static std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& starts, int row) {
        const std::size_t first = starts[static_cast<std::size_t>(row)];
        return {all.data() + first, starts[static_cast<std::size_t>(row) + 1] - first};
    }

    std::vector<int> nearest_;
    std::vector<float> distances_;
    std::vector<std::size_t> starts_;
    std::vector<Listing> listings_;
    std::vector<std::size_t> listing_starts_;
};

}  // namespace fripn::policy
