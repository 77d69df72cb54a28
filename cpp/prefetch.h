// Asking for memory before it is needed; nothing but speed depends on it.
#pragma once

#include <cstddef>

namespace fripn {

inline constexpr std::size_t cache_line = 64;   // bytes

template <class T>
void prefetch([[maybe_unused]] const T* first, [[maybe_unused]] std::size_t count = 1) {
#if defined(__GNUC__) || defined(__clang__)
    const char* byte = reinterpret_cast<const char*>(first);
    for (const char* end = byte + count * sizeof(T); byte < end; byte += cache_line) __builtin_prefetch(byte);
#endif
}

}  // namespace fripn
