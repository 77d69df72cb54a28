// A stretch of stops in driving order, with all that its time depends on, joined with the next in O(1).
//
// Reference: T. Vidal, T. G. Crainic, M. Gendreau and C. Prins, "A hybrid genetic algorithm with adaptive diversity
// management for a large class of vehicle routing problems with time-windows", Computers & Operations Research 40 (2013),
// doi 10.1016/j.cor.2012.07.018.
#pragma once

#include <algorithm>

#include "day.h"

namespace fripn::timed {

// What lies between two stops for one speed.
struct Arc {
    double distance;
    double time;
};

struct Stretch {
    double distance = 0.0;
    double duration = 0.0;     // the least, travel, service and waiting included
    double warp = 0.0;         // by how much the vehicle would have to go back in time to keep every window
    double earliest = 0.0;     // start of the first service: between these the duration is least
    double latest = 0.0;

    [[nodiscard]] static Stretch stop(const Window& window, double service) {
        return {0.0, service, 0.0, window.open, window.close};
    }

    [[nodiscard]] Stretch joined(const Arc& arc, const Stretch& next) const {
        const double until_next = duration - warp + arc.time;
        const double waiting = std::max(next.earliest - until_next - latest, 0.0);
        const double more_warp = std::max(earliest + until_next - next.latest, 0.0);
        return {distance + arc.distance + next.distance, duration + arc.time + next.duration + waiting,
                warp + next.warp + more_warp, std::max(next.earliest - until_next, earliest) - waiting,
                std::min(next.latest - until_next, latest) + more_warp};
    }

    // When the last service can end at the earliest.
    [[nodiscard]] double ready() const { return earliest + duration - warp; }
};

}  // namespace fripn::timed
