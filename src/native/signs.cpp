#include "signs.hpp"

#include <algorithm>

namespace partwise {

namespace {

constexpr int64_t GROUP = PackedSigns::GROUP;
constexpr std::size_t LANES = 8;       // generators that draw side by side
constexpr std::size_t PADDING = 8;     // bytes after the bits that are read or written
constexpr int64_t TOGETHER = 7;        // groups that are in a word, wherever the first one begins in a byte

std::size_t place(int64_t at) { return static_cast<std::size_t>(at); }

// The highest bit of byte i of a word becomes bit i.
uint8_t highest_bits(uint64_t word) {
    const uint64_t ones = (word >> 7) & 0x0101010101010101U;
    return static_cast<uint8_t>((ones * 0x0102040810204080U) >> 56);
}

// The signs that each of up to LANES generators draws, as bits in the order in which they are drawn.
class DrawnBits {
  public:
    explicit DrawnBits(std::size_t words) : words_(words) {
        for (auto& bits : bits_) bits.resize(words + PADDING);
    }

    void draw(const std::vector<Generator>& generators) {
#if defined(PARTWISE_AVX2)
        if (has_avx2()) return draw_vectors(generators);
#endif
        for (std::size_t lane = 0; lane < generators.size(); ++lane)
            RandomWords(generators[lane]).draw(words_, [&](std::size_t i, uint64_t word) { bits_[lane][i] = highest_bits(word); });
    }

    const uint8_t* of(std::size_t lane) const { return bits_[lane].data(); }

  private:
#if defined(PARTWISE_AVX2)
    PARTWISE_AVX2 void draw_vectors(const std::vector<Generator>& generators) {
        VectorLanes one = lanes_of(generators, {0, 1, 2, 3}), other = lanes_of(generators, {4, 5, 6, 7});
        std::array<uint8_t*, LANES> bits;
        for (std::size_t lane = 0; lane < LANES; ++lane) bits[lane] = bits_[lane].data();
        for (std::size_t i = 0; i < words_; ++i) {
            const auto first = static_cast<uint32_t>(_mm256_movemask_epi8(one.next()));
            const auto second = static_cast<uint32_t>(_mm256_movemask_epi8(other.next()));
            for (std::size_t lane = 0; lane < LANES / 2; ++lane) {
                bits[lane][i] = static_cast<uint8_t>(first >> (8 * lane));
                bits[lane + LANES / 2][i] = static_cast<uint8_t>(second >> (8 * lane));
            }
        }
    }
#endif

    std::size_t words_;
    std::array<std::vector<uint8_t>, LANES> bits_;
};

uint64_t word_at(const uint8_t* bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word |= uint64_t{bytes[i]} << (8 * i);
    return word;
}

// Writes the bits of trials, which follow one another, as indices of groups that are `stride` apart.
void write_indices(const uint8_t* bits, int64_t trials, int64_t queries, int64_t stride, uint8_t* indices) {
    const int64_t groups = (queries + GROUP - 1) / GROUP;
    const auto last = static_cast<uint8_t>((1U << (queries - (groups - 1) * GROUP)) - 1);
    for (int64_t trial = 0; trial < trials; ++trial) {
        uint8_t* index = indices + trial;
        for (int64_t group = 0; group < groups; group += TOGETHER) {
            const auto at = static_cast<uint64_t>(trial * queries + group * GROUP);
            uint64_t word = word_at(bits + at / 8) >> (at % 8);
            if (group + TOGETHER <= groups)
                for (int64_t i = 0; i < TOGETHER; ++i, index += stride, word >>= GROUP) *index = static_cast<uint8_t>(word);
            else
                for (int64_t i = group; i < groups; ++i, index += stride, word >>= GROUP) *index = static_cast<uint8_t>(word);
        }
        index[-stride] &= last;
    }
}

}  // namespace

std::vector<uint8_t> random_signs(const std::vector<Stream>& streams, int64_t queries) {
    int64_t trials = 0, most = 0;
    for (const Stream& stream : streams) trials += stream.trials, most = std::max(most, stream.trials);
    std::vector<uint8_t> indices(place((queries + GROUP - 1) / GROUP * trials));
    if (indices.empty()) return indices;
    DrawnBits bits(place((most * queries + 7) / 8));
    uint8_t* of_stream = indices.data();
    for (std::size_t begin = 0; begin < streams.size(); begin += LANES) {
        const std::size_t count = std::min(LANES, streams.size() - begin);
        std::vector<Generator> generators;
        for (std::size_t i = 0; i < count; ++i) generators.push_back(streams[begin + i].generator);
        bits.draw(generators);
        for (std::size_t i = 0; i < count; ++i) {
            write_indices(bits.of(i), streams[begin + i].trials, queries, trials, of_stream);
            of_stream += streams[begin + i].trials;
        }
    }
    return indices;
}

}  // namespace partwise
