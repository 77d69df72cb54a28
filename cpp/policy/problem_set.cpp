#include "policy/problem_set.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "policy/features/load_cells.h"

namespace fripn::policy {

namespace {

// What a number may be, in words and as a test.
struct Range {
    const char* words;
    bool (*holds)(double);
};

constexpr Range finite{"finite", [](double value) { return std::isfinite(value); }};
constexpr Range not_negative{"finite and not negative",
                             [](double value) { return std::isfinite(value) && value >= 0.0; }};
constexpr Range positive{"finite and positive", [](double value) { return std::isfinite(value) && value > 0.0; }};
constexpr Range limit{"-1 (as many as needed) or more", [](double value) { return value >= -1.0; }};
constexpr Range cells{"0 or more and fewer than NUM_LOAD_CELLS",
                      [](double value) { return value >= 0.0 && value < num_load_cells; }};

template <class T>
void check(const char* name, const std::vector<T>& values, std::size_t num_problems, std::size_t per_problem,
           const Range& range) {
    if (values.size() != num_problems * per_problem) {
        std::ostringstream message;
        message << name << " has " << values.size() << " values, but " << num_problems << " problems of this size need "
                << num_problems * per_problem;
        throw std::invalid_argument(message.str());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (range.holds(static_cast<double>(values[i]))) continue;
        std::ostringstream message;
        message << name << " of problem " << i / per_problem << " is " << values[i] << " at place " << i % per_problem
                << "; it must be " << range.words;
        throw std::invalid_argument(message.str());
    }
}

}  // namespace

ProblemSet::ProblemSet(const Sizes& sizes, Arrays arrays) : sizes_(sizes), arrays_(std::move(arrays)) {
    const std::size_t P = sizes_.num_problems, N = sizes_.num_nodes, K = sizes_.num_types;
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    if (P < 1 || N < 2 || K < 1 || P > most || N > most / K)
        throw std::invalid_argument("there must be at least one problem, one customer and one vehicle type");
    check("coordinates", arrays_.coordinates, P, 2 * N, finite);
    check("demands", arrays_.demands, P, N, not_negative);
    check("capacities", arrays_.capacities, P, K, positive);
    check("fixed_costs", arrays_.fixed_costs, P, K, not_negative);
    check("unit_costs", arrays_.unit_costs, P, K, not_negative);
    check("available", arrays_.available, P, K, limit);
    check("load_units", arrays_.load_units, P, 1, positive);
    check("load_cells", arrays_.load_cells, P, N, cells);
    if (!arrays_.matrix.empty()) check("matrix", arrays_.matrix, P, N * N, not_negative);
}

}  // namespace fripn::policy
