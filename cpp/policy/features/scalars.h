// The scalar inputs of a vehicle type, named once: their order is that of the columns of vehicle.input behind the
// embedding of the place. docs/policy.md defines each one; a test compares its table with these names.
#pragma once

#include <array>
#include <string_view>

namespace fripn::policy {

// Per set: NAME(scalar). Each set includes those before it.
#define FRIPN_PAPER_SCALARS(NAME) NAME(remaining_load) NAME(capacity) NAME(unit_cost) NAME(fixed_cost)
#define FRIPN_COVER_SCALARS(NAME)                                                                              \
    NAME(unserved) NAME(net_demand) NAME(unserved_per_capacity) NAME(free_per_unserved) NAME(regret)           \
    NAME(net_regret) NAME(relative_regret) NAME(relative_net_regret) NAME(value) NAME(relative_value)          \
    NAME(is_candidate) NAME(share_unserved) NAME(load_per_unserved)
#define FRIPN_PACK_SCALARS(NAME) NAME(slack) NAME(waste)

#define FRIPN_AS_ENUMERATOR(name) name,
#define FRIPN_AS_STRING(name) std::string_view(#name),

enum class Scalar {
    FRIPN_PAPER_SCALARS(FRIPN_AS_ENUMERATOR) FRIPN_COVER_SCALARS(FRIPN_AS_ENUMERATOR)
        FRIPN_PACK_SCALARS(FRIPN_AS_ENUMERATOR)
};

inline constexpr std::array paper_scalars{FRIPN_PAPER_SCALARS(FRIPN_AS_STRING)};
inline constexpr std::array cover_scalars{FRIPN_COVER_SCALARS(FRIPN_AS_STRING)};
inline constexpr std::array pack_scalars{FRIPN_PACK_SCALARS(FRIPN_AS_STRING)};

#undef FRIPN_AS_ENUMERATOR
#undef FRIPN_AS_STRING
#undef FRIPN_PAPER_SCALARS
#undef FRIPN_COVER_SCALARS
#undef FRIPN_PACK_SCALARS

inline constexpr int num_paper_scalars = static_cast<int>(paper_scalars.size());
inline constexpr int num_cover_scalars = static_cast<int>(cover_scalars.size());
inline constexpr int num_pack_scalars = static_cast<int>(pack_scalars.size());

}  // namespace fripn::policy
