// NumPy's generator PCG64 (O'Neill 2014: a linear congruential generator of 128 bits, whose halves are combined and rotated),
// and how NumPy seeds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors.hpp"

#if defined(PARTWISE_AVX2)
#include <immintrin.h>
#endif

namespace partwise {

// The state of the generator, and what it adds in each step.
struct Generator {
    uint64_t state_high, state_low, step_high, step_low;
};

// A generator, and the number of trials for which it draws.
struct Stream {
    Generator generator;
    int64_t trials;
};

// The generator that `numpy.random.PCG64(numpy.random.SeedSequence(entropy, spawn_key=(key,)))` is at first. Entropy is in
// words of 32 bits, the lowest of each of its numbers first.
Generator seeded(const std::vector<uint32_t>& entropy, uint64_t key);

constexpr uint64_t FACTOR_HIGH = 0x2360ED051FC65DA4U, FACTOR_LOW = 0x4385DF649FCCF645U;

// A whole number of 128 bits, of which products and sums keep the lowest.
#if defined(__SIZEOF_INT128__) && !defined(PARTWISE_PORTABLE)
__extension__ using Wide = unsigned __int128;

inline Wide wide(uint64_t high, uint64_t low) { return static_cast<Wide>(high) << 64 | low; }

inline uint64_t high_half(Wide number) { return static_cast<uint64_t>(number >> 64); }

inline uint64_t low_half(Wide number) { return static_cast<uint64_t>(number); }
#else
struct Wide {
    uint64_t high, low;
};

inline Wide wide(uint64_t high, uint64_t low) { return {high, low}; }

inline uint64_t high_half(const Wide& number) { return number.high; }

inline uint64_t low_half(const Wide& number) { return number.low; }

inline uint64_t high_product(uint64_t a, uint64_t b) {
    const uint64_t a_low = a & 0xFFFFFFFFU, a_high = a >> 32, b_low = b & 0xFFFFFFFFU, b_high = b >> 32;
    const uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    const uint64_t other = a_low * b_high + (middle & 0xFFFFFFFFU);
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

inline Wide operator*(const Wide& a, const Wide& b) {
    return {high_product(a.low, b.low) + a.high * b.low + a.low * b.high, a.low * b.low};
}

inline Wide operator+(const Wide& a, const Wide& b) {
    const uint64_t low = a.low + b.low;
    return {a.high + b.high + (low < a.low), low};
}
#endif

// The 64-bit numbers of a generator, one after the other.
class RandomWords {
  public:
    static constexpr std::size_t CHAINS = 2;  // states that are computed side by side, each from the one before the others

    explicit RandomWords(const Generator& generator) {
        const Wide factor = wide(FACTOR_HIGH, FACTOR_LOW);
        const Wide step = wide(generator.step_high, generator.step_low);
        Wide state = wide(generator.state_high, generator.state_low);
        factor_ = wide(0, 1), step_ = wide(0, 0);
        for (Wide& each : states_) {
            each = state = state * factor + step;
            step_ = step_ * factor + step;
            factor_ = factor_ * factor;
        }
    }

    // Calls write(i, number) with the next numbers, for i from 0 up to a multiple of CHAINS.
    template <class Write>
    void draw(std::size_t count, Write write) {
        std::array<Wide, CHAINS> states = states_;
        for (std::size_t i = 0; i < count; i += CHAINS)
            for (std::size_t chain = 0; chain < CHAINS; ++chain) {
                const uint64_t high = high_half(states[chain]), both = high ^ low_half(states[chain]);
                const unsigned rotation = static_cast<unsigned>(high >> 58);
                write(i + chain, (both >> rotation) | (both << (-rotation & 63)));
                states[chain] = states[chain] * factor_ + step_;
            }
        states_ = states;
    }

  private:
    std::array<Wide, CHAINS> states_;
    Wide factor_, step_;  // of as many steps as there are chains
};

#if defined(PARTWISE_AVX2)
PARTWISE_AVX2 inline __m256i load_vector(const uint64_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// The states of four generators in vectors. A product of lower halves, which alone are multiplied, has room for two more of
// them.
struct VectorLanes {
    // bits 0 to 31 and 32 to 63 of the states, in lower halves whose upper halves do not count, and the bits from 64
    __m256i low, middle, high, step_low, step_middle, step_high;

    // The next 64-bit numbers.
    PARTWISE_AVX2 __m256i next() {
        const __m256i factors[4] = {all(FACTOR_LOW & LOWER), all(FACTOR_LOW >> 32), all(FACTOR_HIGH & LOWER), all(FACTOR_HIGH >> 32)};
        const __m256i highest = upper(high);
        const __m256i first = add(_mm256_mul_epu32(low, factors[0]), step_low);
        const __m256i second = add(_mm256_mul_epu32(low, factors[1]), upper(first));
        const __m256i third = add(add(_mm256_mul_epu32(middle, factors[0]), step_middle),
                                  _mm256_blend_epi32(second, _mm256_setzero_si256(), 0xAA));
        const __m256i top = add(add(_mm256_mul_epu32(low, factors[3]), _mm256_mul_epu32(middle, factors[2])),
                                add(_mm256_mul_epu32(high, factors[1]), _mm256_mul_epu32(highest, factors[0])));
        const __m256i carried = add(add(upper(second), upper(third)), step_high);
        high = add(add(add(_mm256_mul_epu32(middle, factors[1]), carried), _mm256_slli_epi64(top, 32)),
                   add(_mm256_mul_epu32(low, factors[2]), _mm256_mul_epu32(high, factors[0])));
        low = first, middle = third;
        const __m256i lower = _mm256_blend_epi32(first, _mm256_slli_epi64(third, 32), 0xAA);
        const __m256i both = _mm256_xor_si256(lower, high), rotation = _mm256_srli_epi64(high, 58);
        return _mm256_or_si256(_mm256_srlv_epi64(both, rotation),
                               _mm256_sllv_epi64(both, _mm256_sub_epi64(all(64), rotation)));
    }

  private:
    static constexpr uint64_t LOWER = 0xFFFFFFFFU;

    PARTWISE_AVX2 static __m256i all(uint64_t number) { return _mm256_set1_epi64x(static_cast<int64_t>(number)); }

    PARTWISE_AVX2 static __m256i upper(__m256i numbers) { return _mm256_srli_epi64(numbers, 32); }

    PARTWISE_AVX2 static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi64(a, b); }
};

// The states of the generators at these places; lanes without a generator draw what some other draws. What a generator draws
// does not depend on the others.
PARTWISE_AVX2 inline VectorLanes lanes_of(const std::vector<Generator>& generators, const std::array<std::size_t, 4>& places) {
    std::array<uint64_t, 4> low, middle, high, step_low, step_middle, step_high;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Generator& of = generators[places[i] % generators.size()];
        low[i] = of.state_low, middle[i] = of.state_low >> 32, high[i] = of.state_high;
        step_low[i] = of.step_low & 0xFFFFFFFFU, step_middle[i] = of.step_low >> 32, step_high[i] = of.step_high;
    }
    return {load_vector(low.data()),      load_vector(middle.data()),      load_vector(high.data()),
            load_vector(step_low.data()), load_vector(step_middle.data()), load_vector(step_high.data())};
}
#endif

}  // namespace partwise
