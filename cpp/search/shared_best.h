// The best plan of a run, shared by its workers and watched by the thread that waits for them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "search/limits.h"
#include "search/plan.h"

namespace fripn::search {

struct Improvement {
    double seconds;
    double cost;
};

class SharedBest {
public:
    SharedBest(const Clock& clock, double target) : clock_(clock), target_(target) {}
    // Without a target, ended by a flag of the caller's.
    SharedBest(const Clock& clock, const std::atomic<bool>& stop) : clock_(clock), target_(-infinity), flag_(stop) {}

    // Keep the plan if it is the best so far; reaching the target ends the run.
    void offer(const Plan& plan) {
        const std::scoped_lock lock(mutex_);
        if (plan.cost >= best_.cost) return;
        best_ = plan;
        cost_.store(best_.cost, std::memory_order_relaxed);
        is_new_ = true;
        curve_.push_back({clock_.seconds(), best_.cost});
        if (best_.cost <= target_) stop_.store(true, std::memory_order_relaxed);
    }

    [[nodiscard]] double cost() const { return cost_.load(std::memory_order_relaxed); }
    [[nodiscard]] Plan get() {
        const std::scoped_lock lock(mutex_);
        return best_;
    }
    // Copies the best plan into `plan` and when it was found into `seconds`, if it changed since the last call.
    [[nodiscard]] bool take_new(Plan& plan, double& seconds) {
        const std::scoped_lock lock(mutex_);
        if (is_new_) {
            plan = best_;
            seconds = curve_.back().seconds;
        }
        return std::exchange(is_new_, false);
    }
    [[nodiscard]] std::vector<Improvement> curve() {
        const std::scoped_lock lock(mutex_);
        return curve_;
    }

    [[nodiscard]] const std::atomic<bool>& stop_flag() const { return flag_; }
    void stop() { stop_.store(true, std::memory_order_relaxed); }

private:
    const Clock& clock_;
    const double target_;
    std::atomic<bool> stop_{false};
    const std::atomic<bool>& flag_ = stop_;
    std::atomic<double> cost_{infinity};
    std::mutex mutex_;
    Plan best_;
    bool is_new_ = false;
    std::vector<Improvement> curve_;
};

}  // namespace fripn::search
