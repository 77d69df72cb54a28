#include "exact/labelling.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

double CutStates::paid(std::uint64_t bits, int word) const {
    double sum = 0.0;
    for (; bits; bits &= bits - 1) sum += price[at(word) * 64 + at(std::countr_zero(bits))];
    return sum;
}

Labelling::Labelling(const Problem& problem, const NgSets& ng_sets, const CutStates& cuts)
    : problem_(problem), ng_sets_(ng_sets), cuts_(cuts), words_(cuts.words), nodes_(at(problem.num_stops())),
      arcs_(at(problem.num_stops())), starts_(at(problem.num_stops())) {}

void Labelling::run(const std::vector<double>& arcs_into, int capacity, int half, bool is_exact, const Watch& watch) {
    half_ = half;
    const int stops = problem_.num_stops();
    for (int j = 1; j < stops; ++j) {
        const double* into = &arcs_into[at(j) * at(stops)];
        starts_[at(j)] = into[0];
        arcs_[at(j)].clear();
        for (int i = 1; i < stops; ++i)
            if (i != j && into[i] < infinity) arcs_[at(j)].push_back({i, ng_sets_.bit(i, j), into[i], &ng_sets_.carry(i, j)});
        Node& node = nodes_[at(j)];
        node.labels.clear();
        node.states.clear();
        node.by_cost.clear();
        node.kept_by_cost.clear();
        node.first.assign(1, 0);
        node.dominance.assign(std::size_t{1} << ng_sets_.neighbours()[at(j)].size(), infinity);
    }
    switch (words_) {
        case 0: fill<0>(capacity, is_exact, watch); break;
        case 1: fill<1>(capacity, is_exact, watch); break;
        case 2: fill<2>(capacity, is_exact, watch); break;
        case 3: fill<3>(capacity, is_exact, watch); break;
        case 4: fill<4>(capacity, is_exact, watch); break;
        default: throw std::logic_error("more cuts than labels have room for");
    }
    least_.assign(at(stops) * at(half + 1), infinity);
    for (int j = 1; j < stops; ++j) {
        Node& node = nodes_[at(j)];
        double* least = &least_[at(j) * at(half + 1)];
        for (std::size_t l = 0; l < node.labels.size() && node.labels[l].load <= half; ++l) {
            node.by_cost.push_back(static_cast<int>(l));
            double& slot = least[node.labels[l].load];
            slot = std::min(slot, node.labels[l].cost);
        }
        for (int q = 1; q <= half; ++q) least[q] = std::min(least[q], least[q - 1]);
        std::sort(node.by_cost.begin(), node.by_cost.end(),
                  [&](int a, int b) { return node.labels[at(a)].cost < node.labels[at(b)].cost; });
    }
}

template <int W>
void Labelling::fill(int capacity, bool is_exact, const Watch& watch) {
    const int stops = problem_.num_stops();
    for (int q = 0; q <= capacity; ++q) {
        watch.look();
        for (int j = 1; j < stops; ++j) {
            Node& node = nodes_[at(j)];
            const int before = q - problem_.demand(j);
            if (before < 0 || before > half_) {
                node.first.push_back(static_cast<int>(node.labels.size()));
                continue;
            }
            const auto full = static_cast<Memory>(node.dominance.size() - 1);
            candidates_.clear();
            candidate_states_.clear();
            const std::uint64_t* member = W ? &cuts_.member[at(j) * W] : nullptr;
            const std::uint64_t* memory = W ? &cuts_.memory[at(j) * W] : nullptr;
            if (before == 0 && starts_[at(j)] < infinity) {
                candidates_.push_back({{starts_[at(j)], q, -1, 0, 0}, candidate_states_.size()});
                for (int w = 0; w < W; ++w) candidate_states_.push_back(member[w]);
            }
            for (const Arc& arc : arcs_[at(j)]) {
                const Node& tail = nodes_[at(arc.from)];
                const int last = tail.first[at(before) + 1];
                for (int l = tail.first[at(before)]; l < last; ++l) {
                    const Label& label = tail.labels[at(l)];
                    if (label.memory & arc.target_bit) continue;
                    double cost = label.cost + arc.cost;
                    const Memory carried = (*arc.carry)(label.memory);
                    const Memory key = is_exact ? carried : full;
                    if (node.dominance[key] <= cost) continue;
                    if constexpr (W > 0) {
                        const std::uint64_t* from = &tail.states[at(l) * W];
                        const std::size_t place = candidate_states_.size();
                        for (int w = 0; w < W; ++w) {
                            const std::uint64_t held = from[w] & memory[w];
                            cost += cuts_.paid(held & member[w], w);
                            candidate_states_.push_back(held ^ member[w]);
                        }
                        if (node.dominance[key] <= cost) {
                            candidate_states_.resize(place);
                            continue;
                        }
                        candidates_.push_back({{cost, q, l, static_cast<std::int16_t>(arc.from), carried}, place});
                    } else {
                        candidates_.push_back({{cost, q, l, static_cast<std::int16_t>(arc.from), carried}, 0});
                    }
                }
            }
            std::sort(candidates_.begin(), candidates_.end(),
                      [](const Candidate& a, const Candidate& b) { return a.label.cost < b.label.cost; });
            int compared = 0;
            for (const Candidate& candidate : candidates_) {
                const Memory key = is_exact ? candidate.label.memory : full;
                if (node.dominance[key] <= candidate.label.cost) continue;
                // With cuts, a candidate is compared with all labels that are kept.
                if (W > 0 && ++compared % 64 == 0) watch.look();
                if (W > 0 && is_exact && is_dominated<W>(node, candidate)) continue;
                keep<W>(node, candidate, is_exact, full);
            }
            node.first.push_back(static_cast<int>(node.labels.size()));
        }
    }
}

template <int W>
void Labelling::keep(Node& node, const Candidate& candidate, bool is_exact, Memory full) {
    // With cuts, the table holds what the label would cost if each of its bits had to be paid for: below that it wins
    // against every state.
    double cost = candidate.label.cost;
    for (int w = 0; w < W; ++w) {
        node.states.push_back(candidate_states_[candidate.states + at(w)]);
        if (is_exact) cost += cuts_.paid(node.states.back(), w);
    }
    if constexpr (W > 0) {
        const auto place = std::upper_bound(
            node.kept_by_cost.begin(), node.kept_by_cost.end(), candidate.label.cost,
            [&](double value, int l) { return value < node.labels[at(l)].cost; });
        node.kept_by_cost.insert(place, static_cast<int>(node.labels.size()));
    }
    node.labels.push_back(candidate.label);
    if (!is_exact) {
        node.dominance[full] = std::min(node.dominance[full], cost);
        return;
    }
    const Memory memory = candidate.label.memory;
    const unsigned others = static_cast<unsigned>(full) & ~static_cast<unsigned>(memory);
    for (unsigned extra = others;; extra = (extra - 1) & others) {
        double& slot = node.dominance[memory | extra];
        if (slot > cost) slot = cost;
        if (extra == 0) break;
    }
}

template <int W>
bool Labelling::is_dominated(const Node& node, const Candidate& candidate) const {
    const std::uint64_t* state = &candidate_states_[candidate.states];
    for (const int l : node.kept_by_cost) {
        const Label& label = node.labels[at(l)];
        double slack = candidate.label.cost - label.cost;
        if (slack < 0) return false;
        if (label.memory & ~candidate.label.memory) continue;
        const std::uint64_t* other = &node.states[at(l) * W];
        for (int w = 0; w < W && slack >= 0; ++w)
            for (std::uint64_t bits = other[w] & ~state[w]; bits && slack >= 0; bits &= bits - 1)
                slack -= cuts_.price[at(w) * 64 + at(std::countr_zero(bits))];
        if (slack >= 0) return true;
    }
    return false;
}

std::size_t Labelling::num_labels() const {
    std::size_t sum = 0;
    for (const Node& node : nodes_) sum += node.labels.size();
    return sum;
}

std::vector<int> Labelling::path(int node, int label) const {
    std::vector<int> customers;
    while (label >= 0) {
        customers.push_back(node);
        const Label& end = nodes_[at(node)].labels[at(label)];
        label = end.parent;
        node = end.parent_node;
    }
    std::reverse(customers.begin(), customers.end());
    return customers;
}

}  // namespace fripn::exact
