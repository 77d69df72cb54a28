// Split for timed routes: the best cuts and vehicle types of a giant tour with penalties, in one dynamic program.
//
// Every frame is tried for every route. Limits of the fleet are not looked at.
#pragma once

#include <vector>

#include "timed/model.h"
#include "timed/timed_price.h"

namespace fripn::timed {

class TimedSplit {
public:
    explicit TimedSplit(const Model& model);

    // The cost of the plan is its price, penalties included.
    [[nodiscard]] Plan operator()(const std::vector<int>& tour, const Amounts& penalties);

private:
    const Model& model_;
    TimedPrice price_;
    std::vector<double> best_;   // price of the first i customers
    std::vector<int> cut_;       // where the last route of the first i begins
    std::vector<int> type_;      // its type
};

}  // namespace fripn::timed
