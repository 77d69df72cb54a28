// When a search ends, and how far along it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "../cost.h"

namespace fripn {

struct Limits {
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

    double seconds = infinity;
    std::uint64_t iterations = none;   // per worker
    std::uint64_t stall = none;        // iterations of a worker without improvement
    double target = -infinity;
};

class Clock {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace fripn
