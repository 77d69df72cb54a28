// Bindings of the search engine.
#include "bindings.h"

namespace fripn {

void bind_search(nanobind::module_& /*module*/) {}

}  // namespace fripn
