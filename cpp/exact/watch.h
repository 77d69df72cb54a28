// When the exact method has to stop: asked often, it answers fast, and stopping unwinds by an exception.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace fripn::exact {

// Thrown where a limit is noticed; what was proven before stands.
struct Stopped {};

class Watch {
public:
    using Time = std::chrono::steady_clock;

    // `poll` says whether the run has to stop; it is called on the thread that made the watch, now and then.
    Watch(double seconds, std::function<bool()> poll) : seconds_(seconds), poll_(std::move(poll)) {}

    // Throws `Stopped` when the time is up or `poll` has said so. Any thread may look.
    void look() const {
        if (stopped_.load(std::memory_order_relaxed)) throw Stopped{};
        const double now = seconds();
        if (now >= seconds_) stop();
        if (std::this_thread::get_id() != owner_ || now - last_poll_ < poll_interval) return;
        last_poll_ = now;
        if (poll_ && poll_()) stop();
    }
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Time::now() - start_).count(); }
    [[nodiscard]] double seconds_left() const { return seconds_ - seconds(); }

private:
    static constexpr double poll_interval = 0.02;

    [[noreturn]] void stop() const {
        stopped_.store(true, std::memory_order_relaxed);
        throw Stopped{};
    }

    const double seconds_;
    const std::function<bool()> poll_;
    const std::thread::id owner_ = std::this_thread::get_id();
    const Time::time_point start_ = Time::now();
    mutable std::atomic<bool> stopped_{false};
    mutable double last_poll_ = -1.0;
};

}  // namespace fripn::exact
