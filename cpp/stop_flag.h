// A flag that any thread may set to end a run; whatever runs long looks at it where it looks at the clock.
#pragma once

#include <atomic>

namespace fripn {

class StopFlag {
public:
    void set() { flag_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool is_set() const { return flag_.load(std::memory_order_relaxed); }
    // What loops in the core take, so that they know nothing of who sets it.
    [[nodiscard]] const std::atomic<bool>& flag() const { return flag_; }

private:
    std::atomic<bool> flag_{false};
};

// The flag of `stop`, or one that is never set where nobody can cancel.
[[nodiscard]] inline const std::atomic<bool>& flag_of(const StopFlag* stop) {
    static const std::atomic<bool> never{false};
    return stop == nullptr ? never : stop->flag();
}

}  // namespace fripn
