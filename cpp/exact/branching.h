// Ways to divide the plans of a node in two: by the number of vehicles of a type, or by the use of an edge.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/bounds.h"
#include "exact/master.h"
#include "exact/problem.h"

namespace fripn::exact {

struct BranchCandidate {
    int type;             // the number of its vehicles; -1 for an edge
    ArcRow edge;          // the arcs of the edge; its bounds do not matter
    double value;         // in the solution of the master problem
    double distance;      // of the value from an integer
};

// What the solution of the master problem leaves fractional, furthest from an integer first, at most `most` of them.
// Numbers of vehicles come first: edges only where all of these are integral.
[[nodiscard]] std::vector<BranchCandidate> branch_candidates(const Problem& problem, const Master& master, std::size_t most);

// Restricts a node to one side: at most the integer below the value, or at least the one above. Every plan is on one side.
void restrict_to_side(const BranchCandidate& candidate, bool is_above, FleetBounds& fleet, std::vector<ArcRow>& rows);

}  // namespace fripn::exact
