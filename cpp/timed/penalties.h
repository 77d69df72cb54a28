// What a timed plan may break for a price while it is searched, by sort of violation.
#pragma once

#include <array>
#include <cstddef>

#include "timed/model.h"

namespace fripn::timed {

// One entry per load, then the others.
enum Violation : std::size_t { warp_violation = max_loads, duration_violation, distance_violation, stops_violation };
inline constexpr std::size_t num_violations = max_loads + 4;

// By how much something is broken, or the price per unit of it. Access is not among them: a route that no type may drive
// has a price that nothing outweighs.
struct Amounts {
    std::array<double, num_violations> of{};

    [[nodiscard]] double& operator[](std::size_t violation) { return of[violation]; }
    [[nodiscard]] double operator[](std::size_t violation) const { return of[violation]; }
    [[nodiscard]] bool is_zero() const {
        for (const double amount : of)
            if (amount > 0.0) return false;
        return true;
    }
    [[nodiscard]] double priced(const Amounts& penalties) const {
        double price = 0.0;
        for (std::size_t i = 0; i < num_violations; ++i) price += of[i] * penalties.of[i];
        return price;
    }
    void add(const Amounts& other) {
        for (std::size_t i = 0; i < num_violations; ++i) of[i] += other.of[i];
    }
    [[nodiscard]] Amounts times(double factor) const {
        Amounts product = *this;
        for (double& amount : product.of) amount *= factor;
        return product;
    }
};

}  // namespace fripn::timed
