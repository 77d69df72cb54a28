// Cheapest partial ng-routes from the depot, by last customer, load and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/ng_sets.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

// Cuts over subsets of rows with multipliers 1/2, as labels see them: one bit per cut, set while the number of visits
// to its customers since the route last left its memory is odd. Every second visit costs the price of the cut.
//
// References: M. Jepsen et al., "Subset-row inequalities applied to the vehicle-routing problem with time windows", Oper.
// Res. 56 (2008), doi 10.1287/opre.1070.0449; D. Pecin et al., "Improved branch-cut-and-price for capacitated vehicle
// routing", Math. Prog. Comp. 9 (2017), doi 10.1007/s12532-016-0108-8.
struct CutStates {
    int words = 0;                          // of 64 cuts each
    std::vector<double> price;              // per cut, at least 0
    std::vector<std::uint64_t> member;      // per stop and word: cuts that count a visit
    std::vector<std::uint64_t> memory;      // per stop and word: cuts that remember across this stop

    [[nodiscard]] double paid(std::uint64_t bits, int word) const;
};

struct Label {
    double cost;
    int load;
    int parent;                 // index among the labels of its node; -1 for the depot
    std::int16_t parent_node;
    Memory memory;
};

class Labelling {
public:
    Labelling(const Problem& problem, const NgSets& ng_sets, const CutStates& cuts);

    // Labels of all partial routes of load at most `capacity` whose last customer but one is reached with a load of at most
    // `half`. `arcs_into` holds the cost of going from i to j at [j * stops + i], infinity where that is forbidden.
    // Without `is_exact` memories and cuts are ignored in comparing labels, so that good ones may be lost.
    void run(const std::vector<double>& arcs_into, int capacity, int half, bool is_exact, const Watch& watch);

    [[nodiscard]] const std::vector<Label>& labels(int node) const { return nodes_[static_cast<std::size_t>(node)].labels; }
    [[nodiscard]] const std::uint64_t* states(int node, int label) const {
        return nodes_[static_cast<std::size_t>(node)].states.data() + static_cast<std::size_t>(label) * static_cast<std::size_t>(words_);
    }
    // Labels of a node whose load is at most `half`, cheapest first.
    [[nodiscard]] const std::vector<int>& by_cost(int node) const { return nodes_[static_cast<std::size_t>(node)].by_cost; }
    // Least cost of a label of a node with at most this load (at most `half`); infinity when there is none.
    [[nodiscard]] double least(int node, int load) const {
        return least_[static_cast<std::size_t>(node) * static_cast<std::size_t>(half_ + 1) + static_cast<std::size_t>(load)];
    }
    [[nodiscard]] int half() const { return half_; }
    [[nodiscard]] std::size_t num_labels() const;
    // Customers from the depot to the end of a label.
    [[nodiscard]] std::vector<int> path(int node, int label) const;

private:
    struct Node {
        std::vector<Label> labels;            // by load
        std::vector<std::uint64_t> states;
        std::vector<int> first;               // first label of a load; one extra at the end
        std::vector<int> by_cost;
        std::vector<double> dominance;        // per memory: least cost of a label whose memory it contains
        std::vector<int> kept_by_cost;        // all labels, cheapest first; only with cuts
    };
    struct Arc {
        int from;
        Memory target_bit;                    // of the head in the memory at the tail
        double cost;
        const NgSets::Carry* carry;
    };
    struct Candidate {
        Label label;
        std::size_t states;
    };

    template <int W>
    void fill(int capacity, bool is_exact, const Watch& watch);
    template <int W>
    void keep(Node& node, const Candidate& candidate, bool is_exact, Memory full);
    template <int W>
    [[nodiscard]] bool is_dominated(const Node& node, const Candidate& candidate) const;

    const Problem& problem_;
    const NgSets& ng_sets_;
    const CutStates& cuts_;
    const int words_;
    int half_ = 0;
    std::vector<Node> nodes_;
    std::vector<std::vector<Arc>> arcs_;      // into a customer, from customers
    std::vector<double> starts_;              // cost from the depot, per customer
    std::vector<double> least_;
    std::vector<Candidate> candidates_;
    std::vector<std::uint64_t> candidate_states_;
};

}  // namespace fripn::exact
