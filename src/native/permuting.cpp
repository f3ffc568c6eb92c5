#include "permuting.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "aligned.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr std::size_t WORDS = 128;   // random words that are drawn at once
constexpr std::size_t CHUNK = 32;    // places that are computed together
constexpr std::size_t MEASURES = 4;  // of which the values of a run are added together
constexpr std::size_t SIDES = 8;     // queries that are permuted and added together

using Values = std::array<double, MEASURES>;

std::size_t place(int64_t at) { return static_cast<std::size_t>(at); }

template <class Piece>
constexpr int BITS = std::numeric_limits<Piece>::digits;

template <class Piece>
using Product = std::conditional_t<sizeof(Piece) == 2, uint32_t, uint64_t>;

// Writes the pieces of a random word, the lowest first.
template <class Piece>
void write_pieces(uint64_t word, Piece* pieces) {
#if defined(PARTWISE_PORTABLE) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    for (std::size_t i = 0; i < sizeof word / sizeof(Piece); ++i) pieces[i] = static_cast<Piece>(word >> (i * BITS<Piece>));
#else
    std::memcpy(pieces, &word, sizeof word);  // several writes would take longer
#endif
}

// Writes CHUNK places, and returns whether the piece of some of them may have to be dropped. There are two loops because
// products that are used twice would be computed with more bits.
template <class Piece>
inline bool multiply(const Piece* pieces, const Piece* bounds, Piece* places) {
    for (std::size_t i = 0; i < CHUNK; ++i) places[i] = static_cast<Piece>((Product<Piece>{pieces[i]} * bounds[i]) >> BITS<Piece>);
    Piece is_close = 0;
    for (std::size_t i = 0; i < CHUNK; ++i)
        is_close |= static_cast<Piece>(static_cast<Piece>(Product<Piece>{pieces[i]} * bounds[i]) < bounds[i]);
    return is_close;
}

PARTWISE_CLONES bool write_chunk(const uint16_t* pieces, const uint16_t* bounds, uint16_t* places) {
    return multiply(pieces, bounds, places);
}

PARTWISE_CLONES bool write_chunk(const uint32_t* pieces, const uint32_t* bounds, uint32_t* places) {
    return multiply(pieces, bounds, places);
}

// The places with which Fisher and Yates permute `count` items (at least 2), again and again: each last place, down from
// count - 1 to 1, is exchanged with a random place up to it. These are drawn by Lemire's method (2019): of the product of a
// random piece and of the number of possible places, the bound, the upper half is the place. If the lower half is below
// 2^BITS % bound, which is rare, the piece is dropped, and the next one is taken.
template <class Piece>
class Shuffles {
  public:
    Shuffles(const Generator& generator, std::size_t count) : words_(generator), period_(count - 1), bounds_(period_ + CHUNK) {
        for (std::size_t i = 0; i < bounds_.size(); ++i) bounds_[i] = static_cast<Piece>(count - i % period_);
    }

    // Writes the next places; up to CHUNK after them may be overwritten.
    void write(Piece* places, std::size_t size) {
        for (std::size_t count; size > 0; places += count, size -= count) {
            count = std::min(CHUNK, size);
            if (end_ - next_ < CHUNK) draw();
            if (write_chunk(&pieces_[next_], &bounds_[at_], places))
                for (std::size_t i = 0; i < count; ++i) places[i] = one(bounds_[at_ + i]);
            else
                next_ += count;
            at_ += count;
            while (at_ >= period_) at_ -= period_;
        }
    }

  private:
    static constexpr std::size_t IN_WORD = sizeof(uint64_t) / sizeof(Piece);

    // Adds pieces to those that are left.
    void draw() {
        end_ = static_cast<std::size_t>(std::copy(&pieces_[next_], &pieces_[end_], pieces_.data()) - pieces_.data());
        next_ = 0;
        words_.draw(WORDS, [to = &pieces_[end_]](std::size_t i, uint64_t word) { write_pieces(word, to + i * IN_WORD); });
        end_ += WORDS * IN_WORD;
    }

    Piece one(Piece bound) {
        for (;;) {
            if (next_ == end_) draw();
            const Product<Piece> product = Product<Piece>{pieces_[next_++]} * bound;
            const auto lower = static_cast<Piece>(product);
            if (lower >= bound || lower >= static_cast<Piece>(0 - bound) % bound) return static_cast<Piece>(product >> BITS<Piece>);
        }
    }

    RandomWords words_;
    std::size_t period_, at_ = 0;
    std::vector<Piece> bounds_;  // from the first one on, and once more until a chunk that begins at the last one ends
    std::array<Piece, WORDS * IN_WORD + CHUNK> pieces_;
    std::size_t next_ = 0, end_ = 0;  // of the pieces that are left
};

// Permutes COUNT queries together, and adds their values to the sums of the runs. `order`, which is overwritten, has the
// places of the runs' values in `rows`, those of all queries for a run together. The values of a run are added in the order
// of queries.
template <std::size_t COUNT>
inline void add_queries(const uint16_t* places, std::size_t runs, uint32_t* order, const double* rows, double* sums) {
    for (std::size_t run = 0; run < runs; ++run)
        for (std::size_t query = 0; query < COUNT; ++query)
            order[run * COUNT + query] = static_cast<uint32_t>((query * runs + run) * MEASURES);
    for (std::size_t last = runs - 1; last > 0; --last, ++places) {
        double* const of_run = sums + last * MEASURES;
        Values sum;
        for (std::size_t i = 0; i < MEASURES; ++i) sum[i] = of_run[i];
        for (std::size_t query = 0; query < COUNT; ++query) {
            uint32_t& other = order[places[query * (runs - 1)] * COUNT + query];
            const double* const values = rows + other;
            other = order[last * COUNT + query];
            for (std::size_t i = 0; i < MEASURES; ++i) sum[i] += values[i];
        }
        for (std::size_t i = 0; i < MEASURES; ++i) of_run[i] = sum[i];
    }
    for (std::size_t query = 0; query < COUNT; ++query)
        for (std::size_t i = 0; i < MEASURES; ++i) sums[i] += rows[order[query] + i];
}

PARTWISE_CLONES void add_sides(const uint16_t* places, std::size_t runs, uint32_t* order, const double* rows, double* sums) {
    add_queries<SIDES>(places, runs, order, rows, sums);
}

PARTWISE_CLONES void add_query(const uint16_t* places, std::size_t runs, uint32_t* order, const double* rows, double* sums) {
    add_queries<1>(places, runs, order, rows, sums);
}

// Values by query and run, MEASURES for each of them, and what permuting some of them needs.
struct Permuting {
    explicit Permuting(const Grid& grid)
        : runs(place(grid.runs)),
          queries(place(grid.queries)),
          measures(place(grid.measures)),
          values(queries * runs * MEASURES),
          places(SIDES * (runs - 1) + CHUNK),
          order(SIDES * runs) {
        for (std::size_t i = 0; i < queries * runs; ++i)
            std::copy_n(grid.values.data + i * measures, measures, values.data() + i * MEASURES);
    }

    std::size_t runs, queries, measures;
    AlignedReals values;
    std::vector<uint16_t> places;
    std::vector<uint32_t> order;
};

// The ranges of the trials of one stream.
class StreamRanges {
  public:
    StreamRanges(const Stream& stream, std::size_t runs, double* ranges)
        : shuffles_(stream.generator, runs), trials_(stream.trials), sums_(runs * MEASURES), ranges_(ranges) {}

    // Permutes up to SIDES queries from this one on, in a trial that the stream has.
    void permute(int64_t trial, std::size_t query, Permuting& of) {
        if (trial >= trials_) return;
        const std::size_t count = std::min(SIDES, of.queries - query), places = of.runs - 1, size = of.runs * MEASURES;
        const double* const rows = of.values.data() + query * size;
        shuffles_.write(of.places.data(), count * places);
        if (count == SIDES)
            add_sides(of.places.data(), of.runs, of.order.data(), rows, sums_.data());
        else
            for (std::size_t i = 0; i < count; ++i)
                add_query(&of.places[i * places], of.runs, of.order.data(), rows + i * size, sums_.data());
        if (query + count == of.queries) end_trial(of);
    }

  private:
    void end_trial(const Permuting& of) {
        double* const sums = sums_.data();
        for (std::size_t i = 0; i < of.measures; ++i) {
            double low = sums[i], high = low;
            for (std::size_t run = 1; run < of.runs; ++run) {
                const double sum = sums[run * MEASURES + i];
                low = std::min(low, sum), high = std::max(high, sum);
            }
            *ranges_++ = high - low;
        }
        std::fill_n(sums, of.runs * MEASURES, 0.0);
    }

    Shuffles<uint16_t> shuffles_;
    int64_t trials_;
    AlignedReals sums_;
    double* ranges_;
};

}  // namespace

void permuted_ranges(const std::vector<Stream>& streams, const Grid& grid, double* ranges) {
    if (grid.runs == 1) {  // nothing is drawn
        for (const Stream& stream : streams) ranges = std::fill_n(ranges, stream.trials * grid.measures, 0.0);
        return;
    }
    Permuting permuting(grid);
    std::vector<StreamRanges> each;
    int64_t most = 0;
    for (const Stream& stream : streams) {
        each.emplace_back(stream, permuting.runs, ranges);
        ranges += stream.trials * grid.measures;
        most = std::max(most, stream.trials);
    }
    // Values are used for all streams while they are in the processor's cache.
    for (int64_t trial = 0; trial < most; ++trial)
        for (std::size_t query = 0; query < permuting.queries; query += SIDES)
            for (StreamRanges& stream : each) stream.permute(trial, query, permuting);
}

void write_permutations(const Generator& generator, int64_t count, int64_t trials, int64_t kept, int64_t* permutations) {
    if (count == 1) {  // nothing is drawn
        std::fill_n(permutations, trials * kept, 0);
        return;
    }
    Shuffles<uint32_t> shuffles(generator, place(count));
    std::vector<uint32_t> order(place(count)), places(order.size() + CHUNK);
    for (int64_t trial = 0; trial < trials; ++trial) {
        shuffles.write(places.data(), order.size() - 1);
        std::iota(order.begin(), order.end(), uint32_t{0});
        const uint32_t* next = places.data();
        for (std::size_t last = order.size() - 1; last > 0; --last) std::swap(order[last], order[*next++]);
        permutations = std::copy_n(order.begin(), kept, permutations);
    }
}

}  // namespace partwise
