#include "exact/enumeration.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Partial {
    double cost;       // reduced, the type's price not included
    double driven;     // distance times unit cost: what decides between routes over the same customers
    int load;
    int node;
    int parent;
    std::uint64_t hash;
};

// A key per customer; those of a set are combined, so the order does not matter.
std::uint64_t key_of(int customer) {
    std::uint64_t z = at(customer) * 0x9E3779B97F4A7C15ULL + 0x632BE59BD9B4E019ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

// Finds an index by a hash; what belongs to the index is compared by the caller. Nothing is ever removed.
class IndexTable {
public:
    // The index under the hash for which `is_same` holds; if there is none, `fresh` is put there and -1 returned.
    template <class IsSame>
    int find_or_add(std::uint64_t hash, int fresh, const IsSame& is_same) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        std::size_t place = hash & (slots_.size() - 1);
        for (; slots_[place].index >= 0; place = (place + 1) & (slots_.size() - 1))
            if (slots_[place].hash == hash && is_same(slots_[place].index)) return slots_[place].index;
        slots_[place] = {hash, fresh};
        ++used_;
        return -1;
    }

private:
    struct Slot {
        std::uint64_t hash = 0;
        int index = -1;
    };

    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.index < 0) continue;
            std::size_t place = slot.hash & (slots_.size() - 1);
            while (slots_[place].index >= 0) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

class Enumerator {
public:
    Enumerator(const Problem& problem, const Completion& completion, int group, const Prices& prices,
               const std::vector<char>& is_open, const std::vector<double>& limits, const EnumerationLimits& most,
               const Watch& watch)
        : problem_(problem), completion_(completion), prices_(prices), limits_(limits), most_(most), watch_(watch),
          unit_cost_(problem.groups()[at(group)].unit_cost), words_(at(problem.num_stops()) / 64 + 1),
          cut_words_(at(prices.cuts.words)) {
        for (const int k : problem.groups()[at(group)].types)
            if (is_open[at(k)]) types_.push_back(k);
    }

    Enumeration run() {
        Enumeration outcome;
        std::size_t first = 0;
        for (int j = 1; j < problem_.num_stops(); ++j) extend(-1, j);
        while (first < partials_.size()) {
            const std::size_t last = partials_.size();
            for (std::size_t p = first; p < last; ++p) {
                if (p % 256 == 0) watch_.look();
                if (!finish(static_cast<int>(p))) return outcome;
                for (int j = 1; j < problem_.num_stops(); ++j) {
                    if (sets_[p * words_ + at(j) / 64] >> (at(j) % 64) & 1) continue;
                    extend(static_cast<int>(p), j);
                }
                if (partials_.size() > most_.labels) return outcome;
            }
            first = last;
        }
        outcome.is_complete = true;
        outcome.num_labels = partials_.size();
        collect(outcome.routes);
        return outcome;
    }

private:
    [[nodiscard]] bool can_finish(const Partial& partial) const {
        for (const int k : types_) {
            const int left = problem_.type(k).capacity - partial.load;
            if (left >= 0 && partial.cost + completion_.to_depot(partial.node, left) + prices_.types[at(k)] < limits_[at(k)])
                return true;
        }
        return false;
    }

    void extend(int p, int j) {
        const int i = p < 0 ? 0 : partials_[at(p)].node;
        const double arc = completion_.arc(i, j);
        if (!(arc < infinity)) return;
        Partial next{arc, unit_cost_ * problem_.distance(i, j), problem_.demand(j), j, p, key_of(j)};
        if (p >= 0) {
            next.cost += partials_[at(p)].cost;
            next.driven += partials_[at(p)].driven;
            next.load += partials_[at(p)].load;
            next.hash += partials_[at(p)].hash;
        }
        if (next.load > completion_.capacity() || !can_finish(next)) return;
        state_.assign(cut_words_, 0);
        for (std::size_t w = 0; w < cut_words_; ++w) {
            const std::size_t place = at(j) * cut_words_ + w;
            const std::uint64_t held = p < 0 ? 0 : states_[at(p) * cut_words_ + w] & prices_.cuts.memory[place];
            next.cost += prices_.cuts.paid(held & prices_.cuts.member[place], static_cast<int>(w));
            state_[w] = held ^ prices_.cuts.member[place];
        }
        if (cut_words_ > 0 && !can_finish(next)) return;
        // All partial routes over the same customers are made in the same round, so the other one has not been extended.
        const int known = places_.find_or_add(next.hash + at(j) * 0x9E3779B97F4A7C15ULL, static_cast<int>(partials_.size()),
                                              [&](int other) { return is_same_set(at(other), p, j); });
        if (known >= 0) {
            Partial& other = partials_[at(known)];
            if (other.driven <= next.driven) return;
            other = next;
            std::copy(state_.begin(), state_.end(), states_.begin() + static_cast<std::ptrdiff_t>(at(known) * cut_words_));
            return;
        }
        partials_.push_back(next);
        for (std::size_t w = 0; w < words_; ++w) sets_.push_back(p < 0 ? 0 : sets_[at(p) * words_ + w]);
        sets_[(partials_.size() - 1) * words_ + at(j) / 64] |= std::uint64_t{1} << (at(j) % 64);
        states_.insert(states_.end(), state_.begin(), state_.end());
    }

    // Whether a partial route visits the customers of p and j.
    [[nodiscard]] bool is_same_set(std::size_t other, int p, int j) const {
        if (partials_[other].node != j) return false;
        for (std::size_t w = 0; w < words_; ++w) {
            std::uint64_t word = p < 0 ? 0 : sets_[at(p) * words_ + w];
            if (w == at(j) / 64) word |= std::uint64_t{1} << (at(j) % 64);
            if (word != sets_[other * words_ + w]) return false;
        }
        return true;
    }

    // Notes the route that ends here if some type can use it; false when there are too many.
    bool finish(int p) {
        const Partial& partial = partials_[at(p)];
        const double closed = partial.cost + completion_.arc(partial.node, 0);
        bool is_useful = false;
        for (const int k : types_)
            is_useful |= partial.load <= problem_.type(k).capacity && closed + prices_.types[at(k)] < limits_[at(k)];
        if (!is_useful) return true;
        const double driven = partial.driven + unit_cost_ * problem_.distance(partial.node, 0);
        const int known = routes_.find_or_add(partial.hash, static_cast<int>(finished_.size()), [&](int other) {
            const auto first = sets_.begin() + static_cast<std::ptrdiff_t>(at(p) * words_);
            return std::equal(first, first + static_cast<std::ptrdiff_t>(words_),
                              sets_.begin() + static_cast<std::ptrdiff_t>(at(finished_[at(other)].partial) * words_));
        });
        if (known < 0) {
            finished_.push_back({driven, p});
        } else if (driven < finished_[at(known)].driven) {
            finished_[at(known)] = {driven, p};
        }
        return finished_.size() <= most_.routes;
    }

    void collect(std::vector<Column>& routes) const {
        for (const Finished& finished : finished_) {
            std::vector<int> customers;
            for (int p = finished.partial; p >= 0; p = partials_[at(p)].parent) customers.push_back(partials_[at(p)].node);
            std::reverse(customers.begin(), customers.end());
            const int load = partials_[at(finished.partial)].load;
            for (const int k : types_) {
                if (load > problem_.type(k).capacity || !problem_.fits(k, customers)) continue;
                if (reduced_cost(problem_, prices_, k, customers) < limits_[at(k)])
                    routes.push_back({k, problem_.route_cost(k, customers), customers});
            }
        }
    }

    struct Finished {
        double driven;
        int partial;
    };

    const Problem& problem_;
    const Completion& completion_;
    const Prices& prices_;
    const std::vector<double>& limits_;
    const EnumerationLimits& most_;
    const Watch& watch_;
    const double unit_cost_;
    const std::size_t words_, cut_words_;
    std::vector<int> types_;
    std::vector<Partial> partials_;
    std::vector<std::uint64_t> sets_, states_, state_;
    IndexTable places_, routes_;
    std::vector<Finished> finished_;
};

}  // namespace

Enumeration enumerate_routes(const Problem& problem, const Completion& completion, int group, const Prices& prices,
                             const std::vector<char>& is_open, const std::vector<double>& limits,
                             const EnumerationLimits& most, const Watch& watch) {
    return Enumerator(problem, completion, group, prices, is_open, limits, most, watch).run();
}

void drop_dominated(const Problem& problem, const std::vector<char>& is_free, std::vector<Column>& routes) {
    std::vector<std::vector<int>> sets;
    for (const Column& route : routes) {
        sets.push_back(route.customers);
        std::sort(sets.back().begin(), sets.back().end());
    }
    std::vector<std::size_t> order(routes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (sets[a] != sets[b]) return sets[a] < sets[b];
        return routes[a].cost != routes[b].cost ? routes[a].cost < routes[b].cost : routes[a].type < routes[b].type;
    });
    std::vector<Column> kept;
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        bool is_settled = false;
        std::vector<char> has_type(at(problem.num_types()), 0);
        for (; end < order.size() && sets[order[end]] == sets[order[first]]; ++end) {
            Column& route = routes[order[end]];
            if (is_settled || has_type[at(route.type)]) continue;
            has_type[at(route.type)] = 1;
            is_settled = is_free[at(route.type)] != 0;
            kept.push_back(std::move(route));
        }
        first = end;
    }
    routes = std::move(kept);
}

}  // namespace fripn::exact
