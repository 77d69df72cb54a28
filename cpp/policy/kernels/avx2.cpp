// The kernels for x86 processors with AVX2; empty where CMake cannot build for it.
#ifdef FRIPN_X86_KERNELS
#define FRIPN_LANES 8
#include "policy/kernels/table.h"

namespace fripn::policy {

extern const Kernels avx2_kernels;
const Kernels avx2_kernels = make_kernels("avx2");

}  // namespace fripn::policy
#endif
