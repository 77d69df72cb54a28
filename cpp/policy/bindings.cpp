// Bindings of the policy decoder.
#include "bindings.h"

namespace fripn {

void bind_policy(nanobind::module_& /*module*/) {}

}  // namespace fripn
