// HiGHS through its C library, opened at run time.
#pragma once

#include <memory>
#include <string>

#include "exact/lp.h"

namespace fripn::exact {

// Opens the library at `path`. Throws std::runtime_error with the reason when it cannot be used.
[[nodiscard]] std::unique_ptr<LpSolver> open_highs(const std::string& path);

}  // namespace fripn::exact
