// All kernels of one translation unit as a table; define FRIPN_LANES before including it.
#pragma once

#include "policy/kernels/gradient_impl.h"
#include "policy/kernels/forward_impl.h"
#include "policy/kernels/pair_impl.h"

namespace {

constexpr Kernels make_kernels(const char* name) {
    return {name,
            combine,
            attend_types,
            project,
            mask_by_rank,
            attend_nodes,
            pair,
            point,
            exponentiate,
            attend_nodes_kept,
            attend_nodes_back,
            point_back,
            pair_back,
            scores_back,
            attend_types_back,
            add_outer,
            add_scaled};
}

}  // namespace
