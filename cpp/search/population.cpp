#include "population.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fripn {

void Population::add(Individual individual, double penalty) {
    Part& part = individual.is_feasible() ? feasible_ : infeasible_;
    auto member = std::make_unique<Member>();
    member->individual = std::move(individual);
    for (auto& other : part) {
        const double distance = broken_pairs(member->individual, other->individual);
        member->distances.push_back(distance);
        other->distances.push_back(distance);
    }
    member->distances.push_back(2.0);  // itself: never close, never a clone
    part.push_back(std::move(member));
    if (static_cast<int>(part.size()) > settings_.min_size + settings_.generation)
        while (static_cast<int>(part.size()) > settings_.min_size) remove_worst(part, penalty);
    rank(part, penalty);
}

double Population::diversity(const Member& member) const {
    std::vector<double> nearest = member.distances;
    const auto count = std::min(static_cast<std::size_t>(settings_.num_close), nearest.size() - 1);
    if (count == 0) return 1.0;
    std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(count), nearest.end());
    return std::accumulate(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(count), 0.0) /
           static_cast<double>(count);
}

void Population::rank(Part& part, double penalty) {
    const std::size_t size = part.size();
    std::vector<std::pair<double, std::size_t>> by_cost;
    std::vector<std::pair<double, std::size_t>> by_diversity;
    for (std::size_t i = 0; i < size; ++i) {
        by_cost.emplace_back(part[i]->individual.penalised(penalty), i);
        by_diversity.emplace_back(-diversity(*part[i]), i);
    }
    std::sort(by_cost.begin(), by_cost.end());
    std::sort(by_diversity.begin(), by_diversity.end());
    const double weight = 1.0 - static_cast<double>(settings_.num_elite) / static_cast<double>(std::max<std::size_t>(size, 1));
    for (std::size_t r = 0; r < size; ++r) part[by_cost[r].second]->fitness = static_cast<double>(r);
    if (static_cast<int>(size) <= settings_.num_elite) return;
    for (std::size_t r = 0; r < size; ++r) part[by_diversity[r].second]->fitness += weight * static_cast<double>(r);
}

void Population::remove_worst(Part& part, double penalty) {
    rank(part, penalty);
    std::size_t cheapest = 0;
    for (std::size_t i = 1; i < part.size(); ++i)
        if (part[i]->individual.penalised(penalty) < part[cheapest]->individual.penalised(penalty)) cheapest = i;
    std::size_t worst = part.size();
    bool worst_is_clone = false;
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (i == cheapest) continue;
        const bool is_clone = *std::min_element(part[i]->distances.begin(), part[i]->distances.end()) < 1e-9;
        if (worst == part.size() || (is_clone && !worst_is_clone) ||
            (is_clone == worst_is_clone && part[i]->fitness > part[worst]->fitness)) {
            worst = i;
            worst_is_clone = is_clone;
        }
    }
    part.erase(part.begin() + static_cast<std::ptrdiff_t>(worst));
    for (auto& member : part) member->distances.erase(member->distances.begin() + static_cast<std::ptrdiff_t>(worst));
}

const Individual& Population::select(Rng& rng) {
    const auto draw = [&]() -> const Member& {
        const std::size_t i = rng.below(size());
        return i < feasible_.size() ? *feasible_[i] : *infeasible_[i - feasible_.size()];
    };
    const Member& first = draw();
    const Member& second = draw();
    return first.fitness < second.fitness ? first.individual : second.individual;
}

void Population::clear() {
    feasible_.clear();
    infeasible_.clear();
}

}  // namespace fripn
