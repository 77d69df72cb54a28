// Feasible and infeasible individuals, ranked by cost and by what they add in diversity.
//
// Reference: T. Vidal, T. G. Crainic, M. Gendreau, N. Lahrichi and W. Rei, "A hybrid genetic algorithm for
// multidepot and periodic vehicle routing problems", Operations Research 60 (2012), doi 10.1287/opre.1120.1048.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "rng.h"
#include "search/individual.h"

namespace fripn::search {

struct PopulationSettings {
    int min_size = 8;      // survivors
    int generation = 15;    // how many more before survivors are selected
    int num_elite = 4;
    int num_close = 5;      // how many nearest count for diversity
};

// Individuals know their links, whether they are feasible, and their cost with penalties.
template <class I>
class Population {
public:
    using Penalty = typename I::Penalty;

    explicit Population(const PopulationSettings& settings) : settings_(settings) {}

    void add(I individual, const Penalty& penalty);
    // Binary tournament over both parts, by the ranks of the last `add`.
    [[nodiscard]] const I& select(Rng& rng);
    void clear();
    [[nodiscard]] std::size_t size() const { return feasible_.size() + infeasible_.size(); }

private:
    struct Member {
        I individual;
        std::vector<double> distances;  // to the other members, in their order
        double fitness = 0.0;
    };
    using Part = std::vector<std::unique_ptr<Member>>;

    void rank(Part& part, const Penalty& penalty);
    void remove_worst(Part& part, const Penalty& penalty);
    [[nodiscard]] double diversity(const Member& member);

    const PopulationSettings settings_;
    Part feasible_;
    Part infeasible_;
    std::vector<double> nearest_;   // kept to save allocations, like those below
    std::vector<std::pair<double, std::size_t>> by_cost_;
    std::vector<std::pair<double, std::size_t>> by_diversity_;
};

template <class I>
void Population<I>::add(I individual, const Penalty& penalty) {
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

template <class I>
double Population<I>::diversity(const Member& member) {
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

template <class I>
void Population<I>::rank(Part& part, const Penalty& penalty) {
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

template <class I>
void Population<I>::remove_worst(Part& part, const Penalty& penalty) {
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

template <class I>
const I& Population<I>::select(Rng& rng) {
    const auto draw = [&]() -> const Member& {
        const std::size_t i = rng.below(size());
        return i < feasible_.size() ? *feasible_[i] : *infeasible_[i - feasible_.size()];
    };
    const Member& first = draw();
    const Member& second = draw();
    return first.fitness < second.fitness ? first.individual : second.individual;
}

template <class I>
void Population<I>::clear() {
    feasible_.clear();
    infeasible_.clear();
}

}  // namespace fripn::search
