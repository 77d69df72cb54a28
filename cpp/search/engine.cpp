#include "search/engine.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "rng.h"
#include "search/savings.h"
#include "search/sisr.h"
#include "timed/timed_savings.h"
#include "timed/timed_worker.h"

namespace fripn::search {

namespace {

constexpr int engine_neighbours = 100;
// Steps of ruin and recreate for the first plan of a limited fleet, and the share of the time they may take.
constexpr std::uint64_t first_steps_per_customer = 10;
constexpr std::uint64_t most_first_steps_per_customer = 100;   // while there is no complete plan
constexpr double first_steps_share = 0.1;
constexpr std::uint64_t first_steps_stream = ~std::uint64_t{0};   // no worker's
// The first timed plan may take this share: a search can find one from nothing, too.
constexpr double first_plan_share = 0.3;
constexpr auto poll_period = std::chrono::milliseconds(20);

}  // namespace

Engine::Engine(const Instance& instance, const EngineSettings& settings)
    : instance_(instance),
      settings_(settings),
      fleet_(instance),
      model_(instance.has_day() ? std::optional<timed::Model>(std::in_place, instance) : std::nullopt),
      neighbours_(instance, engine_neighbours) {}

void Engine::add_first_timed_plan(std::vector<Plan>& initial, SharedBest& shared, const Limits& limits) const {
    for (const Plan& known : initial) shared.offer(known);
    Plan plan = timed::first_plan(*model_, neighbours_, settings_.sisr,
                                  Deadline(clock_, first_plan_share * limits.seconds, shared.stop_flag()));
    if (plan.cost == infinity) return;
    shared.offer(plan);
    initial.push_back(std::move(plan));
}

std::uint64_t Engine::work(const std::vector<Plan>& initial, SharedBest& shared, const Limits& limits, Rng rng) const {
    if (model_) {
        timed::TimedWorker worker({*model_, neighbours_, settings_, limits, clock_}, shared, rng);
        worker.run(initial);
        return worker.iterations();
    }
    Worker<CapacityMeasure> worker({instance_, fleet_, neighbours_, settings_, limits, clock_}, shared, rng);
    worker.run(initial);
    return worker.iterations();
}

void Engine::add_first_plan(std::vector<Plan>& initial, bool with_savings, SharedBest& shared, const Limits& limits,
                            std::uint64_t seed) const {
    if (model_) return add_first_timed_plan(initial, shared, limits);
    Plan plan;
    if (with_savings || initial.empty()) {
        plan = savings(instance_, fleet_, neighbours_, Deadline(clock_, limits.seconds, shared.stop_flag()));
        if (plan.cost < infinity) initial.push_back(plan);
    } else {
        plan = initial.front();
    }
    for (const Plan& known : initial) shared.offer(known);
    if (!instance_.has_limited_fleet()) return;
    const Deadline deadline(clock_, first_steps_share * limits.seconds, shared.stop_flag());
    const auto n = static_cast<std::uint64_t>(instance_.num_customers());
    const double before = plan.cost;
    Sisr<CapacityMeasure> sisr(instance_, fleet_, neighbours_, settings_.sisr);
    sisr.load(plan);
    Rng rng(seed, first_steps_stream);
    for (std::uint64_t i = 0; i % 16 != 0 || !deadline.is_due(); ++i) {
        const bool was_complete = sisr.best_cost() < infinity;
        if (i >= n * (was_complete ? first_steps_per_customer : most_first_steps_per_customer)) break;
        sisr.iterate(0.0, rng);
        if (!was_complete && sisr.best_cost() < infinity) shared.offer(sisr.best());
    }
    if (sisr.best_cost() >= before) return;
    initial.push_back(sisr.best());
    shared.offer(initial.back());
}

EngineOutcome Engine::run_here(const Limits& limits, std::uint64_t seed, const std::atomic<bool>& stop) {
    SharedBest shared(clock_, stop);
    std::vector<Plan> initial;
    add_first_plan(initial, true, shared, limits, seed);
    const std::uint64_t iterations = work(initial, shared, limits, Rng(seed));
    return {shared.get(), iterations, shared.curve()};
}

EngineOutcome Engine::run(std::vector<Plan> initial, bool with_savings, const Limits& limits, std::uint64_t seed,
                          int num_threads, const Poll& poll) {
    SharedBest shared(clock_, limits.target);
    std::mutex mutex;
    std::condition_variable done;
    int num_working = 0;
    std::exception_ptr failure;
    std::vector<std::jthread> threads;
    const auto start = [&](auto work) {
        {
            const std::scoped_lock lock(mutex);
            ++num_working;
        }
        threads.emplace_back([&, work] {
            std::exception_ptr caught;
            try {
                work();
            } catch (...) {
                caught = std::current_exception();
                shared.stop();
            }
            const std::scoped_lock lock(mutex);
            if (caught != nullptr) failure = caught;
            --num_working;
            done.notify_one();
        });
    };
    // Every thread that works is watched from here, so that a signal or a cancel ends all phases alike.
    const auto wait_for_all = [&] {
        for (bool is_done = false; !is_done;) {
            {
                std::unique_lock lock(mutex);
                is_done = done.wait_for(lock, poll_period, [&] { return num_working == 0; });
            }
            Plan improved;
            double found = 0.0;
            const bool is_new = shared.take_new(improved, found);
            if (poll(found, is_new ? &improved : nullptr)) shared.stop();
        }
        threads.clear();
        if (failure != nullptr) std::rethrow_exception(failure);
    };
    start([&] { add_first_plan(initial, with_savings, shared, limits, seed); });
    wait_for_all();

    std::uint64_t iterations = 0;
    const auto start_worker = [&](int t) {
        start([&, t] {
            const std::uint64_t own = work(initial, shared, limits, Rng(seed, static_cast<std::uint64_t>(t)));
            const std::scoped_lock lock(mutex);
            iterations += own;
        });
    };
    start_worker(0);
    try {
        for (int t = 1; t < num_threads; ++t) start_worker(t);
    } catch (const std::system_error&) {  // the system has no more threads to offer
        const std::scoped_lock lock(mutex);
        --num_working;
    }
    wait_for_all();
    return {shared.get(), iterations, shared.curve()};
}

}  // namespace fripn::search
