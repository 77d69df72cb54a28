// When a search ends, and how far along it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "cost.h"

namespace fripn::search {

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

// What a worker looks at to know when to end; each has its own. Cheap enough to ask every few microseconds.
class Deadline {
public:
    Deadline(const Clock& clock, double seconds, const std::atomic<bool>& stop)
        : clock_(clock), seconds_(seconds), stop_(stop) {}

    [[nodiscard]] bool is_due() const {
        ++num_looks_;
        return stop_.load(std::memory_order_relaxed) || clock_.seconds() >= seconds_;
    }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] double now() const { return clock_.seconds(); }
    // How often it was asked, for tests: what runs long must ask often.
    [[nodiscard]] std::uint64_t num_looks() const { return num_looks_; }

private:
    const Clock& clock_;
    const double seconds_;
    const std::atomic<bool>& stop_;
    mutable std::uint64_t num_looks_ = 0;
};

}  // namespace fripn::search
