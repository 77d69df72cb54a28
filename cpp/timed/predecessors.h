// For every customer those that are good to visit just before it: near, with little waiting and little lateness.
//
// Reference: T. Vidal, T. G. Crainic, M. Gendreau and C. Prins, Computers & Operations Research 40 (2013), doi
// 10.1016/j.cor.2012.07.018.
#pragma once

#include <vector>

#include "search/neighbours.h"
#include "timed/model.h"

namespace fripn::timed {

class Predecessors {
public:
    // Chosen among the nearest.
    Predecessors(const Model& model, const search::Neighbours& nearest, int max_per_customer);

    [[nodiscard]] const int* begin(int customer) const { return lists_.data() + first(customer); }
    [[nodiscard]] const int* end(int customer) const { return lists_.data() + first(customer + 1); }

private:
    [[nodiscard]] std::size_t first(int customer) const {
        return static_cast<std::size_t>(customer - 1) * static_cast<std::size_t>(per_customer_);
    }

    int per_customer_;
    std::vector<int> lists_;
};

}  // namespace fripn::timed
