#include "policy/kernels/kernels.h"

#include <cstring>
#include <initializer_list>

namespace fripn::policy {

extern const Kernels baseline_kernels;
#ifdef FRIPN_X86_KERNELS
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
#endif

const Kernels* kernels_named(const char* name) {
    if (std::strcmp(name, "baseline") == 0) return &baseline_kernels;
#ifdef FRIPN_X86_KERNELS
    if (std::strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &avx2_kernels;
    if (std::strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &avx512_kernels;
#endif
    return nullptr;
}

const Kernels& kernels() {
    static const Kernels& best = []() -> const Kernels& {
        for (const char* name : {"avx512", "avx2"})
            if (const Kernels* found = kernels_named(name)) return *found;
        return baseline_kernels;
    }();
    return best;
}

}  // namespace fripn::policy
