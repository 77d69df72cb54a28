#include "search/split.h"

#include <algorithm>
#include <cassert>

namespace fripn::search {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

template <Measure M>
Split<M>::Split(const Instance& instance, const FleetCost& fleet, int beam_width)
    : instance_(instance),
      fleet_(fleet),
      beam_width_(beam_width),
      num_types_(instance.num_types()),
      is_limited_(instance.has_limited_fleet() && beam_width > 0) {}

template <Measure M>
Split<M>::Split(const Instance& instance, const FleetCost& fleet)
    // The time of a limited split grows with the square of the beam: narrow it as tours get long.
    : Split(instance, fleet, std::clamp(1200 / instance.num_customers(), 2, 24)) {}

template <Measure M>
void Split<M>::prepare(const int* tour, int length) {
    length_ = length;
    const std::size_t size = at(length) + 1;
    if (leg_.size() < size) {
        leg_.resize(size);
        out_.resize(size);
        back_.resize(size);
        best_.resize(size);
        cut_.resize(size);
        type_.resize(size);
        remaining_.resize(size);
    }
    for (int i = 0; i < length; ++i) {
        leg_[at(i)] = i == 0 ? typename M::Arc{} : M::arc(instance_, tour[i - 1], tour[i]);
        out_[at(i)] = M::arc(instance_, 0, tour[i]);
        back_[at(i)] = M::arc(instance_, tour[i], 0);
    }
}

template <Measure M>
double Split<M>::cost(const int* tour, int length, const Deadline* deadline) {
    prepare(tour, length);
    return is_limited_ ? cost_limited(tour, length, deadline) : cost_unlimited(tour, length);
}

template <Measure M>
double Split<M>::cost_unlimited(const int* tour, int length) {
    std::fill(best_.begin(), best_.begin() + length + 1, infinity);
    best_[0] = 0.0;
    for (int i = 0; i < length; ++i) {
        M stretch = first_stretch(tour, i);
        int load_class = 0;
        for (int j = i; j < length; ++j) {
            if (j > i) stretch = next_stretch(stretch, tour, j);
            while (load_class < fleet_.num_classes() && fleet_.limit(load_class) < stretch.load) ++load_class;
            if (load_class == fleet_.num_classes()) break;
            const TypeChoice choice = fleet_.choose_in_class(load_class, stretch.closed(back_[at(j)]));
            const double cost = best_[at(i)] + choice.cost;
            if (cost < best_[at(j) + 1]) {
                best_[at(j) + 1] = cost;
                cut_[at(j) + 1] = i;
                type_[at(j) + 1] = choice.type;
            }
        }
    }
    return best_[at(length)];
}

template <Measure M>
double Split<M>::free_capacity(const int* used) const {
    double free = 0.0;
    for (int k = 0; k < num_types_; ++k) {
        const VehicleType& type = instance_.vehicle_type(k);
        if (!type.is_limited()) return infinity;
        free += type.load_limit * static_cast<double>(type.available - used[k]);
    }
    return free;
}

template <Measure M>
void Split<M>::add_label(int position, const Label& label, const int* used) {
    if (label.cost > too_much_[at(position)]) return;
    const std::size_t base = at(position) * at(beam_width_);
    int& count = num_labels_[at(position)];
    int worst = -1;
    // Types without a limit are never counted, so that they differ nowhere.
    const auto uses_no_more = [this](const int* a, const int* b) {
        for (int k = 0; k < num_types_; ++k)
            if (a[k] > b[k]) return false;
        return true;
    };
    for (int l = 0; l < count;) {
        const Label& other = labels_[base + at(l)];
        const int* other_used = &used_[(base + at(l)) * at(num_types_)];
        if (other.cost <= label.cost && uses_no_more(other_used, used)) return;
        if (label.cost <= other.cost && uses_no_more(used, other_used)) {
            --count;
            labels_[base + at(l)] = labels_[base + at(count)];
            std::copy_n(&used_[(base + at(count)) * at(num_types_)], num_types_,
                        &used_[(base + at(l)) * at(num_types_)]);
            continue;
        }
        if (worst < 0 || other.cost > labels_[base + at(worst)].cost) worst = l;
        ++l;
    }
    int slot = count;
    if (count == beam_width_) {
        if (labels_[base + at(worst)].cost <= label.cost) return;
        slot = worst;
    } else {
        ++count;
    }
    labels_[base + at(slot)] = label;
    std::copy_n(used, num_types_, &used_[(base + at(slot)) * at(num_types_)]);
    double& bound = too_much_[at(position)] = infinity;
    if (count < beam_width_) return;
    bound = -infinity;
    for (int l = 0; l < count; ++l) bound = std::max(bound, labels_[base + at(l)].cost);
}

template <Measure M>
double Split<M>::cost_limited(const int* tour, int length, const Deadline* deadline) {
    const std::size_t size = at(length) + 1;
    labels_.resize(size * at(beam_width_));
    used_.resize(size * at(beam_width_) * at(num_types_));
    num_labels_.assign(size, 0);
    too_much_.assign(size, infinity);
    scratch_.assign(at(num_types_), 0);
    remaining_[at(length)] = 0.0;
    for (int i = length - 1; i >= 0; --i) remaining_[at(i)] = remaining_[at(i) + 1] + instance_.demand(tour[i]);
    add_label(0, {0.0, -1, -1, -1}, scratch_.data());
    for (int i = 0; i < length; ++i) {
        const std::size_t base = at(i) * at(beam_width_);
        for (int l = 0; l < num_labels_[at(i)]; ++l) {
            const Label& from = labels_[base + at(l)];
            std::copy_n(&used_[(base + at(l)) * at(num_types_)], num_types_, scratch_.begin());
            const double free = free_capacity(scratch_.data());
            M stretch = first_stretch(tour, i);
            for (int j = i; j < length; ++j) {
                if (j > i) stretch = next_stretch(stretch, tour, j);
                if (stretch.load > fleet_.largest_limit()) break;
                if (deadline != nullptr && deadline->is_due()) return infinity;
                const M route = stretch.closed(back_[at(j)]);
                for (int k = 0; k < num_types_; ++k) {
                    const VehicleType& type = instance_.vehicle_type(k);
                    if (!route.fits(M::limit(type)) || !type.has_left(scratch_[at(k)])) continue;
                    // What the vehicles still free could not carry makes the label useless.
                    if (free - type.load_limit < remaining_[at(j) + 1] * (1 - 1e-12)) continue;
                    const double cost = route.cost(type.tariff().on_top_of(from.cost));
                    const bool counted = type.is_limited();
                    if (counted) ++scratch_[at(k)];
                    add_label(j + 1, {cost, i, l, k}, scratch_.data());
                    if (counted) --scratch_[at(k)];
                }
            }
        }
    }
    double best = infinity;
    cut_[at(length)] = -1;
    for (int l = 0; l < num_labels_[at(length)]; ++l) {
        const double cost = labels_[at(length) * at(beam_width_) + at(l)].cost;
        if (cost < best) {
            best = cost;
            cut_[at(length)] = l;
        }
    }
    return best;
}

template <Measure M>
Plan Split<M>::plan(const int* tour) const {
    Plan plan;
    int end = length_;
    int label = is_limited_ ? cut_[at(length_)] : 0;
    plan.cost = is_limited_ ? labels_[at(end) * at(beam_width_) + at(label)].cost : best_[at(end)];
    while (end > 0) {
        int start = 0;
        int type = 0;
        if (is_limited_) {
            const Label& last = labels_[at(end) * at(beam_width_) + at(label)];
            start = last.previous;
            type = last.type;
            label = last.previous_label;
        } else {
            start = cut_[at(end)];
            type = type_[at(end)];
        }
        assert(start < end);
        plan.routes.push_back({type, std::vector<int>(tour + start, tour + end)});
        end = start;
    }
    std::reverse(plan.routes.begin(), plan.routes.end());
    return plan;
}

template class Split<CapacityMeasure>;
template class Split<JoinedMeasure>;

}  // namespace fripn::search
