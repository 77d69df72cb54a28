#include "policy/features/surroundings.h"

#include <algorithm>
#include <cmath>

#include "policy/state/open_nodes.h"

namespace fripn::policy {

Surroundings::Surroundings(const NearLists& lists, const double* demands, int num_nodes)
    : lists_(&lists),
      demands_(demands),
      root_of_customers_(std::sqrt(static_cast<double>(num_nodes - 1))),
      around_(static_cast<std::size_t>(num_nodes)),
      touched_at_(around_.size()) {
    touched_.reserve(around_.size());
    for (int i = 1; i < num_nodes; ++i) {
        const auto list = lists.of(i);
        Around& mine = around(i);
        mine.num_open = static_cast<int>(list.size());
        mine.second = std::min(1, mine.num_open);
        for (const int j : list) mine.demand += demands[j];
        follow(i, 1);
    }
}

const std::vector<int>& Surroundings::remove(int customer, const OpenNodes& open) {
    ++num_calls_;
    touched_.clear();
    touch(follow(customer, -1), open);
    for (const auto [node, place] : lists_->listings_of(customer)) {
        if (open.place_of(node) < 0) continue;
        Around& mine = around(node);
        --mine.num_open;
        mine.demand -= demands_[customer];
        touch(node, open);
        if (place != mine.nearest && place != mine.second) continue;
        follow(node, -1);
        if (place == mine.nearest) mine.nearest = mine.second;
        const auto list = lists_->of(node);
        const int end = static_cast<int>(list.size());
        while (mine.second < end && (mine.second == mine.nearest ||
                                     open.place_of(list[static_cast<std::size_t>(mine.second)]) < 0))
            ++mine.second;
        touch(follow(node, 1), open);
    }
    return touched_;
}

double Surroundings::distance(int node, int place) const {
    const auto distances = lists_->distances_of(node);
    const std::size_t last = distances.size() - 1;
    return root_of_customers_ * static_cast<double>(distances[std::min(static_cast<std::size_t>(place), last)]);
}

int Surroundings::follow(int customer, int sign) {
    const auto list = lists_->of(customer);
    const Around& mine = around(customer);
    if (mine.nearest >= static_cast<int>(list.size())) return 0;
    const int nearest = list[static_cast<std::size_t>(mine.nearest)];
    around(nearest).num_followers += sign;
    around(nearest).detours += sign * (distance(customer, mine.second) - distance(customer, mine.nearest));
    return nearest;
}

void Surroundings::touch(int node, const OpenNodes& open) {
    int& at = touched_at_[static_cast<std::size_t>(node)];
    if (node == 0 || at == num_calls_ || open.place_of(node) < 0) return;
    at = num_calls_;
    touched_.push_back(node);
}

SurroundingInputs Surroundings::inputs_of(int node) const {
    const Around& mine = around_[static_cast<std::size_t>(node)];
    const std::size_t listed = lists_->of(node).size();
    if (listed == 0) return {};
    return {static_cast<float>(distance(node, mine.nearest)),
            static_cast<float>(distance(node, mine.second)),
            static_cast<float>(mine.num_open) / static_cast<float>(listed),
            static_cast<float>(mine.demand / surrounding_load),
            static_cast<float>(mine.num_followers / surrounding_followers),
            static_cast<float>(mine.detours)};
}

}  // namespace fripn::policy
