// The kernels for any processor.
#define FRIPN_LANES 4
#include "policy/kernels/table.h"

namespace fripn::policy {

extern const Kernels baseline_kernels;
const Kernels baseline_kernels = make_kernels("baseline");

}  // namespace fripn::policy
