#include "search/population.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fripn::search {

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

double Population::diversity(const Member& member) {
    const auto count = std::min(static_cast<std::size_t>(settings_.num_close), member.distances.size() - 1);
    if (count == 0) return 1.0;
    nearest_.clear();   // the least so far, in order
    for (const double distance : member.distances) {
        if (nearest_.size() == count) {
            if (distance >= nearest_.back()) continue;
            nearest_.pop_back();
        }
        nearest_.insert(std::upper_bound(nearest_.begin(), nearest_.end(), distance), distance);
    }
    return std::accumulate(nearest_.begin(), nearest_.end(), 0.0) / static_cast<double>(count);
}

void Population::rank(Part& part, double penalty) {
    const std::size_t size = part.size();
    by_cost_.clear();
    by_diversity_.clear();
    for (std::size_t i = 0; i < size; ++i) {
        by_cost_.emplace_back(part[i]->individual.penalised(penalty), i);
        by_diversity_.emplace_back(-diversity(*part[i]), i);
    }
    std::sort(by_cost_.begin(), by_cost_.end());
    std::sort(by_diversity_.begin(), by_diversity_.end());
    const double weight = 1.0 - static_cast<double>(settings_.num_elite) / static_cast<double>(std::max<std::size_t>(size, 1));
    for (std::size_t r = 0; r < size; ++r) part[by_cost_[r].second]->fitness = static_cast<double>(r);
    if (static_cast<int>(size) <= settings_.num_elite) return;
    for (std::size_t r = 0; r < size; ++r) part[by_diversity_[r].second]->fitness += weight * static_cast<double>(r);
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

}  // namespace fripn::search
