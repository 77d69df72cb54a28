#include "exact/subset_cuts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Violated {
    double violation;
    std::vector<int> members;
};

class Separator {
public:
    Separator(const Problem& problem, const std::vector<WeightedRoute>& solution)
        : n_(problem.num_customers()), routes_(solution.size()), visits_(at(n_ + 1) * solution.size(), 0),
          pair_(at(n_ + 1) * at(n_ + 1), 0.0) {
        for (std::size_t r = 0; r < routes_; ++r) {
            value_.push_back(solution[r].value);
            for (const int c : solution[r].column->customers) ++visits_[at(c) * routes_ + r];
        }
        // A bound on what a pair of customers contributes to any cut; on the diagonal what repeated visits do.
        for (int i = 1; i <= n_; ++i)
            for (int j = i; j <= n_; ++j) {
                double sum = 0.0;
                for (std::size_t r = 0; r < routes_; ++r)
                    sum += value_[r] * (i == j ? visits(i, r) / 2 : std::min(visits(i, r), visits(j, r)));
                pair_[at(i) * at(n_ + 1) + at(j)] = pair_[at(j) * at(n_ + 1) + at(i)] = sum;
            }
    }

    [[nodiscard]] std::vector<Violated> triples(double min_violation) const {
        std::vector<Violated> found;
        std::vector<int> sum(routes_);
        for (int i = 1; i <= n_; ++i)
            for (int j = i + 1; j <= n_; ++j) {
                for (std::size_t r = 0; r < routes_; ++r) sum[r] = visits(i, r) + visits(j, r);
                const double both = pair(i, j) + pair(i, i) + pair(j, j);
                for (int k = j + 1; k <= n_; ++k) {
                    if (both + pair(i, k) + pair(j, k) + pair(k, k) <= 1.0 + min_violation) continue;
                    double value = -1.0;
                    for (std::size_t r = 0; r < routes_; ++r) value += value_[r] * ((sum[r] + visits(k, r)) / 2);
                    if (value > min_violation) found.push_back({value, {i, j, k}});
                }
            }
        return found;
    }

    // Adds two more customers to a triple, one after the other, each time the one that helps most.
    [[nodiscard]] Violated grow(const std::vector<int>& triple) const {
        Violated best{-1.0, triple};
        std::vector<int> sum(routes_, 0);
        for (const int i : triple)
            for (std::size_t r = 0; r < routes_; ++r) sum[r] += visits(i, r);
        const auto is_in = [](const std::vector<int>& members, int i) {
            return std::find(members.begin(), members.end(), i) != members.end();
        };
        for (int l = 1; l <= n_; ++l) {
            if (is_in(triple, l)) continue;
            double near = 0.0;
            for (const int i : triple) near += pair(i, l);
            if (near <= 0.0) continue;
            for (int m = l + 1; m <= n_; ++m) {
                if (is_in(triple, m)) continue;
                double value = -2.0;
                for (std::size_t r = 0; r < routes_; ++r) value += value_[r] * ((sum[r] + visits(l, r) + visits(m, r)) / 2);
                if (value > best.violation) {
                    best = {value, triple};
                    best.members.push_back(l);
                    best.members.push_back(m);
                }
            }
        }
        std::sort(best.members.begin(), best.members.end());
        return best;
    }

private:
    [[nodiscard]] int visits(int i, std::size_t r) const { return visits_[at(i) * routes_ + r]; }
    [[nodiscard]] double pair(int i, int j) const { return pair_[at(i) * at(n_ + 1) + at(j)]; }

    const int n_;
    const std::size_t routes_;
    std::vector<double> value_;
    std::vector<int> visits_;
    std::vector<double> pair_;
};

// The stops between the visits that make a route count in the cut: with fewer it would not.
void remember(const std::vector<int>& customers, const std::vector<char>& is_member, std::vector<char>& is_memory) {
    std::vector<std::size_t> places;
    for (std::size_t p = 0; p < customers.size(); ++p)
        if (is_member[at(customers[p])]) places.push_back(p);
    if (places.size() < 2) return;
    // With an odd number of visits one of them stays alone: the one that saves most stops in between.
    std::size_t alone = places.size();
    if (places.size() % 2 == 1) {
        std::size_t best = customers.size() + 1;
        for (std::size_t skip = 0; skip < places.size(); skip += 2) {
            std::size_t length = 0;
            for (std::size_t a = 0; a + 1 < places.size(); ++a) {
                const std::size_t first = a + (a >= skip), second = first + 1;
                if (a % 2 == 0 && second < places.size()) length += places[second] - places[first];
            }
            if (length < best) {
                best = length;
                alone = skip;
            }
        }
        places.erase(places.begin() + static_cast<std::ptrdiff_t>(alone));
    }
    for (std::size_t a = 0; a + 1 < places.size(); a += 2)
        for (std::size_t p = places[a]; p <= places[a + 1]; ++p) is_memory[at(customers[p])] = 1;
}

}  // namespace

std::vector<SubsetCut> separate_subset_cuts(const Problem& problem, const std::vector<WeightedRoute>& solution,
                                            const SubsetSeparation& settings) {
    constexpr std::size_t grown = 40;
    const Separator separator(problem, solution);
    std::vector<Violated> found = separator.triples(settings.min_violation);
    const auto by_violation = [](const Violated& a, const Violated& b) {
        return a.violation != b.violation ? a.violation > b.violation : a.members < b.members;
    };
    std::sort(found.begin(), found.end(), by_violation);
    if (settings.use_five_rows) {
        const std::size_t num_triples = std::min(found.size(), grown);
        for (std::size_t t = 0; t < num_triples; ++t) {
            Violated larger = separator.grow(found[t].members);
            if (larger.violation > settings.min_violation) found.push_back(std::move(larger));
        }
        std::sort(found.begin(), found.end(), by_violation);
        found.erase(std::unique(found.begin(), found.end(),
                                [](const Violated& a, const Violated& b) { return a.members == b.members; }),
                    found.end());
    }
    std::vector<SubsetCut> cuts;
    std::vector<int> uses(at(problem.num_stops()), 0);
    for (const Violated& violated : found) {
        if (cuts.size() >= at(settings.max_cuts)) break;
        if (std::any_of(violated.members.begin(), violated.members.end(),
                        [&](int i) { return uses[at(i)] >= settings.max_cuts_per_customer; }))
            continue;
        SubsetCut cut{violated.members, std::vector<char>(at(problem.num_stops()), 0), {}};
        for (const int i : violated.members) {
            cut.is_member[at(i)] = 1;
            ++uses[at(i)];
        }
        cut.is_memory = settings.has_full_memory ? std::vector<char>(at(problem.num_stops()), 1) : cut.is_member;
        if (!settings.has_full_memory)
            for (const WeightedRoute& route : solution) remember(route.column->customers, cut.is_member, cut.is_memory);
        cuts.push_back(std::move(cut));
    }
    return cuts;
}

}  // namespace fripn::exact
