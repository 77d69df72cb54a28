// The neighbourhoods of ng-routes: a route may return to a customer only after it has visited one that forgets it.
//
// Reference: R. Baldacci, A. Mingozzi, R. Roberti, "New route relaxation and pricing strategies for the vehicle
// routing problem", Oper. Res. 59 (2011), doi 10.1287/opre.1110.0975.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/problem.h"

namespace fripn::exact {

// The customers that must not be visited next, as bits over the neighbourhood of the last customer, itself left out.
using Memory = std::uint16_t;

class NgSets {
public:
    static constexpr int max_size = 12;

    // The `size` nearest customers of each (by the sum of both directions).
    NgSets(const Problem& problem, int size);
    // Neighbourhoods given one by one, each of at most `max_size` other customers.
    NgSets(const Problem& problem, std::vector<std::vector<int>> neighbours);

    [[nodiscard]] const std::vector<std::vector<int>>& neighbours() const { return neighbours_; }
    [[nodiscard]] int largest() const { return largest_; }
    // Bit of customer j in the memory at customer i; 0 when i forgets j.
    [[nodiscard]] Memory bit(int i, int j) const { return bits_[index(i, j)]; }

    // Memory at j after coming from i (a customer) with a memory.
    class Carry {
    public:
        [[nodiscard]] Memory operator()(Memory memory) const {
            return static_cast<Memory>(base_ | low_[memory & 15U] | middle_[(memory >> 4) & 15U] | high_[memory >> 8]);
        }

    private:
        friend class NgSets;
        Memory base_ = 0;
        std::array<Memory, 16> low_{};
        std::array<Memory, 16> middle_{};
        std::array<Memory, 16> high_{};
    };
    [[nodiscard]] const Carry& carry(int i, int j) const { return carries_[static_cast<std::size_t>(carry_index_[index(i, j)])]; }

private:
    void prepare();
    [[nodiscard]] std::size_t index(int i, int j) const {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(stops_) + static_cast<std::size_t>(j);
    }

    int stops_;
    int largest_ = 0;
    std::vector<std::vector<int>> neighbours_;
    std::vector<Memory> bits_;
    std::vector<int> carry_index_;
    std::vector<Carry> carries_;
};

}  // namespace fripn::exact
