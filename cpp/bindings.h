// Shared by the binding files (bindings.cpp and */bindings.cpp), the only places that see Python headers.
#pragma once

#include <nanobind/nanobind.h>

namespace fripn {

// The submodule for parts of the core that only the tests call.
inline nanobind::module_ testing_module(const nanobind::module_& module) {
    return nanobind::cast<nanobind::module_>(module.attr("testing"));
}

void bind_search(nanobind::module_& module);
void bind_policy(nanobind::module_& module);
void bind_baselines(nanobind::module_& module);
void bind_lp(nanobind::module_& module);
void bind_exact(nanobind::module_& module);
void bind_exact_parts(nanobind::module_& module);

}  // namespace fripn
