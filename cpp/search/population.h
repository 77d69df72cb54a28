// Feasible and infeasible individuals, ranked by cost and by what they add in diversity.
//
// Reference: T. Vidal, T. G. Crainic, M. Gendreau, N. Lahrichi and W. Rei, "A hybrid genetic algorithm for
// multidepot and periodic vehicle routing problems", Operations Research 60 (2012), doi 10.1287/opre.1120.1048.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "rng.h"
#include "search/individual.h"

namespace fripn::search {

class Population {
public:
    struct Settings {
        int min_size = 8;      // survivors
        int generation = 15;    // how many more before survivors are selected
        int num_elite = 4;
        int num_close = 5;      // how many nearest count for diversity
    };

    explicit Population(const Settings& settings) : settings_(settings) {}

    void add(Individual individual, double penalty);
    // Binary tournament over both parts, by the ranks of the last `add`.
    [[nodiscard]] const Individual& select(Rng& rng);
    void clear();
    [[nodiscard]] std::size_t size() const { return feasible_.size() + infeasible_.size(); }

private:
    struct Member {
        Individual individual;
        std::vector<double> distances;  // to the other members, in their order
        double fitness = 0.0;
    };
    using Part = std::vector<std::unique_ptr<Member>>;

    void rank(Part& part, double penalty);
    void remove_worst(Part& part, double penalty);
    [[nodiscard]] double diversity(const Member& member);

    const Settings settings_;
    Part feasible_;
    Part infeasible_;
    std::vector<double> nearest_;   // kept to save allocations, like those below
    std::vector<std::pair<double, std::size_t>> by_cost_;
    std::vector<std::pair<double, std::size_t>> by_diversity_;
};

}  // namespace fripn::search
