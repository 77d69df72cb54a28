#include "engine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "savings.h"

namespace fripn {

namespace {

constexpr int engine_neighbours = 100;
constexpr std::uint64_t iterations_between_checks = 16;
constexpr auto poll_period = std::chrono::milliseconds(20);

// Publishing a plan copies it: at most this often per worker, and once at the end.
constexpr double seconds_between_reports = 0.01;

}  // namespace

Engine::Engine(const Instance& instance, const EngineSettings& settings)
    : instance_(instance), settings_(settings), fleet_(instance), neighbours_(instance, engine_neighbours) {}

double Engine::temperature_scale(const Plan& plan) const {
    double travel = 0.0;
    for (const PlanRoute& route : plan.routes)
        travel += instance_.vehicle_type(route.type).unit_cost * route_distance(instance_, route.customers);
    const double legs = static_cast<double>(instance_.num_customers()) + static_cast<double>(plan.routes.size());
    // Where driving costs nothing a thousandth of the fixed cost per customer takes its place.
    return std::max(travel / legs, 1e-3 * plan.cost / legs);
}

double Engine::progress(std::uint64_t iterations) const {
    if (limits_.seconds == infinity && limits_.iterations == Limits::none)
        return static_cast<double>(iterations % settings_.cycle) / static_cast<double>(settings_.cycle);
    double done = 0.0;
    if (limits_.seconds != infinity) done = clock_.seconds() / limits_.seconds;
    if (limits_.iterations != Limits::none)
        done = std::max(done, static_cast<double>(iterations) / static_cast<double>(limits_.iterations));
    return std::min(done, 1.0);
}

void Engine::publish(Plan&& plan) {
    const std::scoped_lock lock(mutex_);
    if (plan.cost >= best_.cost) return;
    best_ = std::move(plan);
    best_cost_.store(best_.cost, std::memory_order_relaxed);
    is_new_ = true;
    curve_.push_back({clock_.seconds(), best_.cost});
    if (best_.cost <= limits_.target) stop_.store(true, std::memory_order_relaxed);
}

void Engine::work(const Plan& start, std::uint64_t seed, int worker) {
    Rng rng(seed, static_cast<std::uint64_t>(worker));
    Sisr sisr(instance_, fleet_, neighbours_, settings_.sisr);
    sisr.load(start);
    const double scale = start.cost < infinity ? temperature_scale(start) : 0.0;
    const double hot = settings_.start_temperature * scale;
    const double cooling = std::log(settings_.end_temperature / settings_.start_temperature);
    double temperature = hot;
    double reported = sisr.best_cost();
    double last_report = 0.0;
    std::uint64_t iteration = 0;
    std::uint64_t last_improvement = 0;
    while (iteration < limits_.iterations && iteration - last_improvement < limits_.stall) {
        if (iteration % iterations_between_checks == 0) {
            if (stop_.load(std::memory_order_relaxed)) break;
            const double now = clock_.seconds();
            if (now >= limits_.seconds) break;
            temperature = hot * std::exp(cooling * progress(iteration));
            if (sisr.best_cost() < reported && now - last_report >= seconds_between_reports) {
                publish(sisr.best());
                reported = sisr.best_cost();
                last_report = now;
            }
        }
        if (sisr.iterate(temperature, rng)) {
            last_improvement = iteration;
            if (sisr.best_cost() <= limits_.target) break;
        }
        ++iteration;
    }
    iterations_.fetch_add(iteration, std::memory_order_relaxed);
    if (sisr.best_cost() < infinity) publish(sisr.best());
}

Plan Engine::first_plan(const std::vector<Plan>& initial) {
    Plan start = savings(instance_, fleet_, neighbours_);
    for (const Plan& plan : initial)
        if (plan.cost < start.cost) start = plan;
    if (start.cost < infinity) publish(Plan(start));
    return start;
}

EngineOutcome Engine::run_here(const Limits& limits, std::uint64_t seed) {
    limits_ = limits;
    clock_ = Clock();
    work(first_plan({}), seed, 0);
    EngineOutcome outcome;
    outcome.plan = std::move(best_);
    outcome.iterations = iterations_.load();
    outcome.curve = std::move(curve_);
    return outcome;
}

EngineOutcome Engine::run(const std::vector<Plan>& initial, const Limits& limits, std::uint64_t seed, int num_threads,
                          const Poll& poll) {
    limits_ = limits;
    clock_ = Clock();
    const Plan start = first_plan(initial);
    EngineOutcome outcome;
    num_working_ = num_threads;
    std::vector<std::thread> threads;
    for (int worker = 0; worker < num_threads; ++worker)
        threads.emplace_back([this, &start, seed, worker] {
            work(start, seed, worker);
            const std::scoped_lock lock(mutex_);
            --num_working_;
            done_.notify_one();
        });
    while (true) {
        Plan improved;
        bool is_new = false;
        bool finished = false;
        {
            std::unique_lock lock(mutex_);
            finished = done_.wait_for(lock, poll_period, [this] { return num_working_ == 0; });
            is_new = std::exchange(is_new_, false);
            if (is_new) improved = best_;
        }
        if (poll(clock_.seconds(), is_new ? &improved : nullptr) && !finished) {
            outcome.interrupted = true;
            stop_.store(true, std::memory_order_relaxed);
        }
        if (finished) break;
    }
    for (std::thread& thread : threads) thread.join();
    outcome.plan = std::move(best_);
    outcome.iterations = iterations_.load();
    outcome.curve = std::move(curve_);
    return outcome;
}

}  // namespace fripn
