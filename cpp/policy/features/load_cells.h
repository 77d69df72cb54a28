// How finely loads are counted where subsets of demands are added up.
#pragma once

namespace fripn::policy {

// Loads are counted in at most so many cells, 0 included.
inline constexpr int num_load_cells = 1024;

}  // namespace fripn::policy
