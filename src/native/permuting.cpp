#include "permuting.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "aligned.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr std::size_t NUMBERS = 128;  // that a generator draws at once
constexpr std::size_t LANES = 8;      // generators that draw side by side
constexpr std::size_t MEASURES = 4;   // of which the values of a run are added together
constexpr std::size_t SIDES = 4;      // queries that are permuted and added together

using Values = std::array<double, MEASURES>;

std::size_t place(int64_t at) { return static_cast<std::size_t>(at); }

// Writes the lower, then the upper half of a number.
void write_halves(uint64_t number, uint32_t* halves) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = number << 32 | number >> 32;
#endif
    std::memcpy(halves, &number, sizeof number);  // two writes would take longer
}

// A place from 0 to `last` is a number whose bits above the mask are 0, unless it is too large.
uint32_t mask_of(uint32_t last) {
    uint32_t mask = 1;
    while (mask < last) mask = 2 * mask + 1;
    return mask;
}

// The places with which Fisher and Yates permute `count` items (at least 2), again and again: each last place, down from
// count - 1 to 1, is exchanged with a random place up to it. They are 32-bit numbers of PCG64, the lower, then the upper half
// of each 64-bit number. A number is drawn again as long as it is too large, after bits that are too high are masked.
class Shuffles {
  public:
    Shuffles(const Generator& generator, std::size_t count)
        : first_last_(static_cast<uint32_t>(count - 1)),
          first_mask_(mask_of(first_last_)),
          last_(first_last_),
          mask_(first_mask_),
          words_(generator) {}

    // Writes those of the next NUMBERS numbers that are not too large, and returns their end; what follows it may be
    // overwritten up to places + NUMBERS.
    uint32_t* write(uint32_t* places) {
        words_.draw(NUMBERS / 2, [&](std::size_t i, uint64_t word) { write_halves(word, &numbers_[2 * i]); });
        uint32_t last = last_, mask = mask_;
        for (std::size_t next = 0; next < NUMBERS;) {
            const uint32_t lowest = mask / 2 + 1;
            while (next < NUMBERS && last >= lowest) {
                const uint32_t number = numbers_[next++] & mask;
                const uint32_t is_place = number <= last;
                *places = number;
                places += is_place;
                last -= is_place;
            }
            if (last < lowest) mask /= 2;
            if (!last) last = first_last_, mask = first_mask_;
        }
        last_ = last, mask_ = mask;
        return places;
    }

  private:
    uint32_t first_last_, first_mask_, last_, mask_;
    RandomWords words_;
    std::array<uint32_t, NUMBERS> numbers_;
};

#if defined(PARTWISE_AVX2)
// Which of eight numbers are kept, and how many they are.
struct Kept {
    std::array<uint8_t, LANES> from;
    uint8_t count;
};

// By the bits of the numbers that are not kept.
constexpr std::array<Kept, 1 << LANES> all_kept() {
    std::array<Kept, 1 << LANES> all{};
    for (std::size_t dropped = 0; dropped < all.size(); ++dropped)
        for (std::size_t i = 0; i < LANES; ++i)
            if (!(dropped >> i & 1)) all[dropped].from[all[dropped].count++] = static_cast<uint8_t>(i);
    return all;
}

constexpr std::array<Kept, 1 << LANES> KEPT = all_kept();

// The shuffles of up to LANES generators, whose states are in vectors. What a generator draws does not depend on the others.
class VectorShuffles {
  public:
    VectorShuffles(const std::vector<Generator>& generators, std::size_t count)
        : first_last_(static_cast<uint32_t>(count - 1)), first_mask_(mask_of(first_last_)) {
        last_.fill(first_last_), mask_.fill(first_mask_);
        // rows are in order if halves are interleaved
        one_ = VectorStates(generators, {0, 1, 4, 5}), other_ = VectorStates(generators, {2, 3, 6, 7});
    }

    // As Shuffles::write, at the end of each generator.
    PARTWISE_AVX2 void write(std::array<uint32_t*, LANES>& ends) {
        draw();
        for (std::size_t row = 0; row < NUMBERS; row += LANES) {
            __m256 lanes[LANES];
            transpose(row, lanes);
            for (std::size_t lane = 0; lane < LANES; ++lane) {
                const Kept& kept = KEPT[static_cast<std::size_t>(_mm256_movemask_ps(lanes[lane]))];
                const __m256i from = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kept.from.data())));
                _mm256_storeu_ps(reinterpret_cast<float*>(ends[lane]), _mm256_permutevar8x32_ps(lanes[lane], from));
                ends[lane] += kept.count;
            }
        }
    }

  private:
    // Draws NUMBERS rows with a number of each generator.
    PARTWISE_AVX2 void draw() {
        VectorLanes one = one_.lanes(), other = other_.lanes();
        __m256i last = load_vector(last_.data()), mask = load_vector(mask_.data());
        for (std::size_t row = 0; row < NUMBERS; row += 2) {
            const __m256 a = _mm256_castsi256_ps(one.next()), b = _mm256_castsi256_ps(other.next());
            accept(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), last, mask, rows_[row]);
            accept(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD)), last, mask, rows_[row + 1]);
        }
        one_.keep(one), other_.keep(other);
        store_vector(last, last_.data()), store_vector(mask, mask_.data());
    }

    // Writes the places that numbers are, ~0 for those that are too large, and goes on to the next last places.
    PARTWISE_AVX2 void accept(__m256i numbers, __m256i& last, __m256i& mask, std::array<uint32_t, LANES>& row) const {
        const __m256i masked = _mm256_and_si256(numbers, mask), is_too_large = _mm256_cmpgt_epi32(masked, last);
        store_vector(_mm256_or_si256(masked, is_too_large), row.data());
        last = _mm256_sub_epi32(_mm256_sub_epi32(last, _mm256_set1_epi32(1)), is_too_large);
        const __m256i half = _mm256_srli_epi32(mask, 1), is_complete = _mm256_cmpeq_epi32(last, _mm256_setzero_si256());
        mask = _mm256_blendv_epi8(half, mask, _mm256_cmpgt_epi32(last, half));
        mask = _mm256_blendv_epi8(mask, _mm256_set1_epi32(static_cast<int32_t>(first_mask_)), is_complete);
        last = _mm256_blendv_epi8(last, _mm256_set1_epi32(static_cast<int32_t>(first_last_)), is_complete);
    }

    // Eight rows as the numbers of each lane.
    PARTWISE_AVX2 void transpose(std::size_t row, __m256* lanes) const {
        __m256 halves[LANES];  // four columns of two rows
        const auto* const from = reinterpret_cast<const float*>(rows_[row].data());
        for (std::size_t i = 0; i < LANES; ++i) {
            const float* const at = from + i % 4 * LANES + i / 4 * 4;
            halves[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at)), _mm_loadu_ps(at + 4 * LANES), 1);
        }
        for (std::size_t i = 0; i < LANES; i += 4) {
            const __m256 a = _mm256_unpacklo_ps(halves[i], halves[i + 1]), b = _mm256_unpackhi_ps(halves[i], halves[i + 1]);
            const __m256 c = _mm256_unpacklo_ps(halves[i + 2], halves[i + 3]);
            const __m256 d = _mm256_unpackhi_ps(halves[i + 2], halves[i + 3]);
            lanes[i] = _mm256_shuffle_ps(a, c, 0x44), lanes[i + 1] = _mm256_shuffle_ps(a, c, 0xEE);
            lanes[i + 2] = _mm256_shuffle_ps(b, d, 0x44), lanes[i + 3] = _mm256_shuffle_ps(b, d, 0xEE);
        }
    }

    uint32_t first_last_, first_mask_;
    VectorStates one_, other_;
    std::array<uint32_t, LANES> last_, mask_;
    std::array<std::array<uint32_t, LANES>, NUMBERS> rows_;
};
#else
class VectorShuffles {
  public:
    VectorShuffles(const std::vector<Generator>&, std::size_t) {}
    void write(std::array<uint32_t*, LANES>&) {}  // is not called
};
#endif

// The shuffles of up to LANES generators, side by side if the processor has vectors for them.
class SeveralShuffles {
  public:
    SeveralShuffles(const std::vector<Generator>& generators, std::size_t count) : vectors_(generators, count) {
        if (!has_avx2())
            for (const Generator& generator : generators) each_.emplace_back(generator, count);
    }

    // Writes the places of each generator at its end, which moves, as Shuffles::write does; also at those of lanes without
    // a generator. LANES more than NUMBERS may be overwritten.
    void write(std::array<uint32_t*, LANES>& ends) {
        if (has_avx2()) vectors_.write(ends);
        for (std::size_t lane = 0; lane < each_.size(); ++lane) ends[lane] = each_[lane].write(ends[lane]);
    }

  private:
    VectorShuffles vectors_;
    std::vector<Shuffles> each_;
};

// Permutes COUNT queries together, and adds their values to the sums of the runs: `order` has the places of the runs' values
// in `rows`, query by query. The values of a run are added in the order of queries.
template <std::size_t COUNT>
inline void add_queries(const uint32_t* places, std::size_t runs, uint32_t* order, const double* rows, double* sums) {
    for (std::size_t last = runs - 1; last > 0; --last) {
        double* const of_run = sums + last * MEASURES;
        Values sum;
        for (std::size_t i = 0; i < MEASURES; ++i) sum[i] = of_run[i];
        for (std::size_t query = 0; query < COUNT; ++query) {
            uint32_t* const of_query = order + query * runs;
            uint32_t& other = of_query[places[query * (runs - 1) + runs - 1 - last]];
            const double* const values = rows + other;
            other = of_query[last];
            for (std::size_t i = 0; i < MEASURES; ++i) sum[i] += values[i];
        }
        for (std::size_t i = 0; i < MEASURES; ++i) of_run[i] = sum[i];
    }
    for (std::size_t query = 0; query < COUNT; ++query)
        for (std::size_t i = 0; i < MEASURES; ++i) sums[i] += rows[order[query * runs] + i];
}

PARTWISE_CLONES void add_sides(const uint32_t* places, std::size_t runs, uint32_t* order, const double* rows, double* sums) {
    add_queries<SIDES>(places, runs, order, rows, sums);
}

PARTWISE_CLONES void add_query(const uint32_t* places, std::size_t runs, uint32_t* order, const double* rows, double* sums) {
    add_queries<1>(places, runs, order, rows, sums);
}

// The ranges of the trials of one stream.
class StreamRanges {
  public:
    StreamRanges(const Grid& grid, const AlignedReals& values, int64_t trials, std::size_t room, double* ranges)
        : runs_(place(grid.runs)),
          queries_(place(grid.queries)),
          measures_(place(grid.measures)),
          trials_(trials),
          values_(values.data()),
          sums_(runs_ * MEASURES),
          places_(room + SIDES * runs_),
          held_(places_.data()),
          ranges_(ranges) {}

    bool is_done() const { return !trials_; }

    // Where the next places are written.
    uint32_t* end() { return held_; }

    // Permutes as many queries as there are places for.
    void permute(uint32_t* end, const std::vector<uint32_t>& in_order, std::vector<uint32_t>& order) {
        const uint32_t* begin = places_.data();
        while (trials_) {
            const std::size_t count = queries_ - query_ < SIDES ? 1 : SIDES, needed = count * (runs_ - 1);
            if (place(end - begin) < needed) break;
            std::copy_n(in_order.begin(), count * runs_, order.begin());
            (count == 1 ? add_query : add_sides)(begin, runs_, order.data(), values_ + query_ * runs_ * MEASURES, sums_.data());
            begin += needed;
            query_ += count;
            if (query_ == queries_) end_trial();
        }
        held_ = trials_ ? std::copy(begin, static_cast<const uint32_t*>(end), places_.data()) : places_.data();
    }

  private:
    void end_trial() {
        for (std::size_t i = 0; i < measures_; ++i) {
            double low = sums_.data()[i], high = low;
            for (std::size_t run = 1; run < runs_; ++run) {
                const double sum = sums_.data()[run * MEASURES + i];
                low = std::min(low, sum), high = std::max(high, sum);
            }
            *ranges_++ = high - low;
        }
        std::fill_n(sums_.data(), runs_ * MEASURES, 0.0);
        query_ = 0;
        --trials_;
    }

    std::size_t runs_, queries_, measures_, query_ = 0;
    int64_t trials_;  // that are left
    const double* values_;
    AlignedReals sums_;
    std::vector<uint32_t> places_;  // drawn, but not used
    uint32_t* held_;                // their end
    double* ranges_;
};

}  // namespace

void permuted_ranges(const std::vector<Stream>& streams, const Grid& grid, double* ranges) {
    const std::size_t runs = place(grid.runs), queries = place(grid.queries), measures = place(grid.measures);
    if (runs == 1) {  // nothing is drawn
        for (const Stream& stream : streams) ranges = std::fill_n(ranges, stream.trials * grid.measures, 0.0);
        return;
    }
    AlignedReals values(queries * runs * MEASURES);
    for (std::size_t i = 0; i < queries * runs; ++i)
        std::copy_n(grid.values.data + i * measures, measures, values.data() + i * MEASURES);
    std::vector<uint32_t> in_order(SIDES * runs), order(SIDES * runs);
    for (std::size_t i = 0; i < in_order.size(); ++i) in_order[i] = static_cast<uint32_t>(i * MEASURES);
    const std::size_t draws = std::max<std::size_t>(4, 2 * SIDES * runs / NUMBERS), room = draws * NUMBERS + LANES;
    for (std::size_t begin = 0; begin < streams.size(); begin += LANES) {
        std::vector<Generator> generators;
        std::vector<StreamRanges> lanes;
        std::array<uint32_t*, LANES> ends;
        lanes.reserve(LANES);
        for (std::size_t i = 0; i < LANES; ++i) {
            const bool is_used = begin + i < streams.size();
            const int64_t trials = is_used ? streams[begin + i].trials : 0;
            if (is_used) generators.push_back(streams[begin + i].generator);
            lanes.emplace_back(grid, values, trials, room, ranges);
            ranges += trials * grid.measures;
        }
        SeveralShuffles shuffles(generators, runs);
        while (!std::all_of(lanes.begin(), lanes.end(), [](const StreamRanges& lane) { return lane.is_done(); })) {
            for (std::size_t i = 0; i < LANES; ++i) ends[i] = lanes[i].end();
            for (std::size_t i = 0; i < draws; ++i) shuffles.write(ends);
            for (std::size_t i = 0; i < LANES; ++i) lanes[i].permute(ends[i], in_order, order);
        }
    }
}

void write_permutations(const Generator& generator, int64_t count, int64_t trials, int64_t kept, int64_t* permutations) {
    if (count == 1) {  // nothing is drawn
        std::fill_n(permutations, trials * kept, 0);
        return;
    }
    Shuffles shuffles(generator, place(count));
    std::vector<uint32_t> order(place(count)), places(order.size() + NUMBERS);
    uint32_t* end = places.data();
    for (int64_t trial = 0; trial < trials; ++trial) {
        while (end < places.data() + count - 1) end = shuffles.write(end);
        std::iota(order.begin(), order.end(), uint32_t{0});
        const uint32_t* next = places.data();
        for (std::size_t last = order.size() - 1; last > 0; --last) std::swap(order[last], order[*next++]);
        end = std::copy(next, static_cast<const uint32_t*>(end), places.data());
        permutations = std::copy_n(order.begin(), kept, permutations);
    }
}

}  // namespace partwise
