// Shared by the binding files (bindings.cpp and */bindings.cpp), the only places that see Python headers.
#pragma once

#include <nanobind/nanobind.h>

namespace fripn {

void bind_search(nanobind::module_& module);
void bind_policy(nanobind::module_& module);
void bind_baselines(nanobind::module_& module);
void bind_lp(nanobind::module_& module);
void bind_exact(nanobind::module_& module);
void bind_exact_parts(nanobind::module_& module);

}  // namespace fripn
