#include "day.h"

#include <algorithm>

namespace fripn {

bool WorkingDay::matters() const {
    const auto limits = [](const DayType& type) {
        return type.shift_start > -DayType::never || type.shift_end < DayType::never ||
               type.max_duration < DayType::never || type.max_distance < DayType::never || type.max_stops >= 0 ||
               type.time_cost != 0.0 || !type.returns;
    };
    return num_depots > 1 || num_loads > 1 || !windows.empty() ||
           std::find(access.begin(), access.end(), 0) != access.end() || std::any_of(types.begin(), types.end(), limits);
}

}  // namespace fripn
