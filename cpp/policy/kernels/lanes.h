// Short vectors of floats, FRIPN_LANES wide. Each translation unit that includes this gets its own copy: code
// compiled for one instruction set must never be linked into another.
#pragma once

#include <cstdint>
#include <cstring>

// Compilers with vector types, and among those the instruction sets that have instructions of their own below.
#if defined(__GNUC__) && !defined(FRIPN_PORTABLE_LANES)
#define FRIPN_VECTOR_LANES 1
#ifdef __AVX2__
#define FRIPN_AVX2_LANES 1
#include <immintrin.h>
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define FRIPN_AVX512_LANES 1
#endif
#endif

namespace {

#ifdef FRIPN_VECTOR_LANES

template <int W>
struct Lanes {
    typedef float Float __attribute__((vector_size(W * 4)));
    typedef std::int32_t Int __attribute__((vector_size(W * 4)));

    static Float bits_to_float(Int value) { return (Float)value; }
    static Int bits_to_int(Float value) { return (Int)value; }
    static Float select(Int condition, Float yes, Float no) { return condition ? yes : no; }
};

#else

// Plain arrays; the compiler may or may not vectorise them.
template <class T, int W>
struct Array {
    T value[W];
    friend Array operator+(const Array& a, const Array& b) { return map(a, b, [](T x, T y) { return T(x + y); }); }
    friend Array operator-(const Array& a, const Array& b) { return map(a, b, [](T x, T y) { return T(x - y); }); }
    friend Array operator*(const Array& a, const Array& b) { return map(a, b, [](T x, T y) { return T(x * y); }); }
    friend Array operator/(const Array& a, const Array& b) { return map(a, b, [](T x, T y) { return T(x / y); }); }
    friend auto operator<(const Array& a, const Array& b) { return compare(a, b); }
    Array& operator+=(const Array& other) { return *this = *this + other; }
    T operator[](int lane) const { return value[lane]; }

    template <class F>
    static Array map(const Array& a, const Array& b, F f) {
        Array result;
        for (int lane = 0; lane < W; ++lane) result.value[lane] = f(a.value[lane], b.value[lane]);
        return result;
    }
    static Array<std::int32_t, W> compare(const Array& a, const Array& b) {
        Array<std::int32_t, W> result;
        for (int lane = 0; lane < W; ++lane) result.value[lane] = a.value[lane] < b.value[lane] ? -1 : 0;
        return result;
    }
};

template <int W>
struct Lanes {
    using Float = Array<float, W>;
    using Int = Array<std::int32_t, W>;

    static Float bits_to_float(Int value) {
        Float result;
        std::memcpy(&result, &value, sizeof result);
        return result;
    }
    static Int bits_to_int(Float value) {
        Int result;
        std::memcpy(&result, &value, sizeof result);
        return result;
    }
    static Float select(Int condition, Float yes, Float no) {
        Float result;
        for (int lane = 0; lane < W; ++lane) result.value[lane] = condition[lane] ? yes[lane] : no[lane];
        return result;
    }
};

#endif

template <int W>
using FloatLanes = typename Lanes<W>::Float;
template <int W>
using IntLanes = typename Lanes<W>::Int;

template <int W>
inline FloatLanes<W> load(const float* from) {
    FloatLanes<W> result;
    std::memcpy(&result, from, sizeof result);
    return result;
}

template <int W>
inline void store(float* to, FloatLanes<W> value) {
    std::memcpy(to, &value, sizeof value);
}

template <int W>
inline FloatLanes<W> splat(float value) {
#ifdef FRIPN_VECTOR_LANES
    return value - FloatLanes<W>{};
#else
    FloatLanes<W> result;
    for (int lane = 0; lane < W; ++lane) result.value[lane] = value;
    return result;
#endif
}

template <int W>
inline IntLanes<W> splat_int(std::int32_t value) {
#ifdef FRIPN_VECTOR_LANES
    return value - IntLanes<W>{};
#else
    IntLanes<W> result;
    for (int lane = 0; lane < W; ++lane) result.value[lane] = value;
    return result;
#endif
}

// Compilers make two instructions of a comparison and a choice where the processor has one for both.
template <int W>
inline FloatLanes<W> larger(FloatLanes<W> a, FloatLanes<W> b) {
#ifdef FRIPN_AVX512_LANES
    if constexpr (W == 16) return (FloatLanes<W>)_mm512_max_ps((__m512)a, (__m512)b);
#endif
#ifdef FRIPN_AVX2_LANES
    if constexpr (W == 8) return (FloatLanes<W>)_mm256_max_ps((__m256)a, (__m256)b);
#endif
    return Lanes<W>::select(b < a, a, b);
}

template <int W>
inline FloatLanes<W> smaller(FloatLanes<W> a, FloatLanes<W> b) {
#ifdef FRIPN_AVX512_LANES
    if constexpr (W == 16) return (FloatLanes<W>)_mm512_min_ps((__m512)a, (__m512)b);
#endif
#ifdef FRIPN_AVX2_LANES
    if constexpr (W == 8) return (FloatLanes<W>)_mm256_min_ps((__m256)a, (__m256)b);
#endif
    return Lanes<W>::select(a < b, a, b);
}

// The lower and the upper half of the lanes.
template <int W>
struct Halves {
    explicit Halves(FloatLanes<W> value) {
        float lanes[W];
        store<W>(lanes, value);
        lower = load<W / 2>(lanes);
        upper = load<W / 2>(lanes + W / 2);
    }
    FloatLanes<W / 2> lower;
    FloatLanes<W / 2> upper;
};

#ifdef FRIPN_AVX2_LANES
template <>
inline Halves<8>::Halves(FloatLanes<8> value)
    : lower((FloatLanes<4>)_mm256_castps256_ps128((__m256)value)),
      upper((FloatLanes<4>)_mm256_extractf128_ps((__m256)value, 1)) {}
#endif
#ifdef FRIPN_AVX512_LANES
template <>
inline Halves<16>::Halves(FloatLanes<16> value)
    : lower((FloatLanes<8>)_mm512_castps512_ps256((__m512)value)),
      upper((FloatLanes<8>)_mm512_extractf32x8_ps((__m512)value, 1)) {}
#endif

// Sums and maxima of all lanes go by halves: adding one lane after the other would wait for each.
template <int W>
inline float sum_of(FloatLanes<W> value) {
    if constexpr (W == 4) {
        return (value[0] + value[2]) + (value[1] + value[3]);
    } else {
        const Halves<W> halves(value);
        return sum_of<W / 2>(halves.lower + halves.upper);
    }
}

template <int W>
inline float largest_of(FloatLanes<W> value) {
    if constexpr (W == 4) {
        const float even = value[0] < value[2] ? value[2] : value[0];
        const float odd = value[1] < value[3] ? value[3] : value[1];
        return even < odd ? odd : even;
    } else {
        const Halves<W> halves(value);
        return largest_of<W / 2>(larger<W / 2>(halves.lower, halves.upper));
    }
}

// Minimax polynomial of 2^f on [-1/2, 1/2]: relative error 7.5e-8.
template <int W>
inline FloatLanes<W> exp2_of_fraction(FloatLanes<W> f) {
    FloatLanes<W> p = splat<W>(0.001327645150013268F);
    p = p * f + splat<W>(0.009675540961325169F);
    p = p * f + splat<W>(0.05550713464617729F);
    p = p * f + splat<W>(0.24022120237350464F);
    p = p * f + splat<W>(0.6931469440460205F);
    return p * f + splat<W>(1.0000000716534476F);
}

// 2^x with a relative error below 2e-7 for x in [-126, 126]; 0 or nearly 0 below and for NaN; at least 2^126 above.
template <int W>
inline FloatLanes<W> exp2_lanes(FloatLanes<W> x) {
#ifdef FRIPN_AVX512_LANES
    if constexpr (W == 16) {
        // Scaling by a power of two is an instruction here, and gives 0 by itself where that is far below. NaN counts
        // as such, as in the general form: a decision must be an available one even then.
        const FloatLanes<W> bounded = larger<W>(x, splat<W>(-1000.0F));
        const FloatLanes<W> whole = (FloatLanes<W>)_mm512_roundscale_ps((__m512)bounded, _MM_FROUND_TO_NEAREST_INT);
        return (FloatLanes<W>)_mm512_scalef_ps((__m512)exp2_of_fraction<W>(bounded - whole), (__m512)whole);
    }
#endif
    const FloatLanes<W> low = splat<W>(-126.0F);
    const FloatLanes<W> clamped = smaller<W>(larger<W>(x, low), splat<W>(126.0F));
    // Adding 1.5 * 2^23 rounds to integers, which are then in the low bits.
    const FloatLanes<W> magic = splat<W>(12582912.0F);
    const FloatLanes<W> shifted = clamped + magic;
    const FloatLanes<W> f = clamped - (shifted - magic);
    const FloatLanes<W> p = exp2_of_fraction<W>(f);
    const IntLanes<W> exponent =
        (Lanes<W>::bits_to_int(shifted) - Lanes<W>::bits_to_int(magic)) * splat_int<W>(1 << 23);
    const FloatLanes<W> result = Lanes<W>::bits_to_float(Lanes<W>::bits_to_int(p) + exponent);
    return Lanes<W>::select(x < low, splat<W>(0.0F), result);
}

// tanh(z) for an argument y = 2 log2(e) z; absolute error below 2e-7.
template <int W>
inline FloatLanes<W> tanh_lanes(FloatLanes<W> y) {
    const FloatLanes<W> one = splat<W>(1.0F);
    return one - splat<W>(2.0F) / (exp2_lanes<W>(y) + one);
}

}  // namespace
