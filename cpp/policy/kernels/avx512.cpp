// The kernels for x86 processors with AVX512; empty where CMake cannot build for it.
#ifdef FRIPN_X86_KERNELS
#define FRIPN_LANES 16
#include "policy/kernels/table.h"

namespace fripn::policy {

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = make_kernels("avx512");

}  // namespace fripn::policy
#endif
