// Numpy arrays in the bindings of the policy; only for binding files.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace fripn {

using DoubleArray = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
using FloatArray = nanobind::ndarray<const float, nanobind::c_contig, nanobind::device::cpu>;
using Int64Array = nanobind::ndarray<const std::int64_t, nanobind::c_contig, nanobind::device::cpu>;
using ByteArray = nanobind::ndarray<const std::uint8_t, nanobind::c_contig, nanobind::device::cpu>;
using Int32Array = nanobind::ndarray<const std::int32_t, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using NumpyArray = nanobind::ndarray<nanobind::numpy, T>;

// A numpy array that owns its memory.
template <class T>
NumpyArray<T> make_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    auto* data = new T[std::max<std::size_t>(size, 1)];
    nanobind::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
    return NumpyArray<T>(data, shape, owner);
}

inline void require(bool condition, const std::string& message) {
    if (!condition) throw std::invalid_argument(message);
}

// The parts of bind_policy that concern the cover table and packing, and the problems.
void bind_cover(nanobind::module_& module);
void bind_problems(nanobind::module_& module);

}  // namespace fripn
