// Decomposition: neighbouring routes of a large plan, searched as a problem of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "instance.h"
#include "rng.h"
#include "search/neighbours.h"
#include "search/plan.h"

namespace fripn::search {

// Some routes of a plan as an instance; customers are numbered again from 1.
class SubProblem {
public:
    // For a limited fleet the vehicles of the routes and those that the plan leaves unused are available.
    SubProblem(const Instance& instance, const Plan& plan, const std::vector<std::size_t>& chosen);

    [[nodiscard]] const Instance& instance() const { return sub_instance_; }
    // The chosen routes in the numbers of the sub-problem; the cost is that of distances and vehicles alone.
    [[nodiscard]] const Plan& start() const { return start_; }
    // `plan` with `found`, a plan of the sub-problem, in place of the chosen routes. A plan of infinite cost when it does not
    // have all those routes, or not the vehicles, because another worker has changed it meanwhile.
    [[nodiscard]] Plan put_back(const Plan& plan, const Plan& found) const;
    // The same without a look at limits and costs: no routes when `plan` does not have all those chosen.
    [[nodiscard]] std::vector<PlanRoute> merged_routes(const Plan& plan, const Plan& found) const;

private:
    const Instance& instance_;
    std::vector<PlanRoute> chosen_;   // by first customer
    std::vector<int> customer_;       // number in the sub-problem -> number in the instance
    Plan start_;
    const Instance sub_instance_;
};

// Routes around that of a random customer, by its customers' neighbours, until they have `num_customers` or there are no more.
[[nodiscard]] std::vector<std::size_t> neighbouring_routes(const Instance& instance, const Neighbours& neighbours,
                                                           const Plan& plan, int num_customers, Rng& rng);

}  // namespace fripn::search
