#include "resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aligned.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr int64_t GROUP = PackedSigns::GROUP;
constexpr int64_t LANES = 16;   // columns that are summed together
constexpr int64_t AT_ONCE = 4;  // groups whose tables are in the cache together
constexpr int64_t TILE = 256;   // trials whose sums are compared together
constexpr int64_t SIDE = 32;    // of which this many side by side

constexpr double LARGEST_ROUNDED = 16000;  // differences have 16 bits
constexpr std::size_t SIDES = 4;           // counters, so that none waits for another

using Lanes = std::array<double, LANES>;

std::size_t place(int64_t at) { return static_cast<std::size_t>(at); }

// The sums of four values, for each of the 16 ways to choose their signs.
void sums_of_four(const Lanes* values, Lanes* sums) {
    for (int64_t way = 0; way < 16; ++way)
        for (std::size_t lane = 0; lane < LANES; ++lane) {
            double sum = 0;
            for (int64_t i = 0; i < 4; ++i) sum += way >> i & 1 ? values[i][lane] : -values[i][lane];
            sums[way][lane] = sum;
        }
}

// The sums of the columns from `low` for all trials, columns side by side.
class ColumnSums {
  public:
    ColumnSums(const PackedSigns& signs, RealView values)
        : queries_(signs.queries),
          trials_(signs.trials()),
          groups_(signs.groups()),
          columns_(signs.queries ? values.size / signs.queries : 0),
          values_(values),
          indices_(signs.indices),
          sums_(place(trials_ * LANES)),
          table_(place(AT_ONCE * 256 * LANES)) {}

    int64_t columns() const { return columns_; }

    // Write the sums of up to LANES columns from `low`: those of column c to sums[c * trials : (c + 1) * trials].
    void write(int64_t low, double* sums) {
        std::fill_n(sums_.data(), trials_ * LANES, 0.0);
        for (int64_t group = 0; group < groups_; group += AT_ONCE) {
            for (int64_t i = 0; i < AT_ONCE; ++i) fill_table(low, group + i, table_.data() + i * 256 * LANES);
            add(group);
        }
        for (int64_t begin = 0; begin < trials_; begin += SIDE)  // few enough for the cache
            for (int64_t lane = 0; lane < std::min(LANES, columns_ - low); ++lane)
                for (int64_t trial = begin; trial < std::min(begin + SIDE, trials_); ++trial)
                    sums[(low + lane) * trials_ + trial] = sums_.data()[trial * LANES + lane];
    }

  private:
    void fill_table(int64_t low, int64_t group, double* table) const {
        std::array<Lanes, GROUP> values{};
        for (int64_t i = 0; i < GROUP && group * GROUP + i < queries_; ++i)
            for (int64_t lane = 0; lane < std::min(LANES, columns_ - low); ++lane)
                values[place(i)][place(lane)] = values_[(low + lane) * queries_ + group * GROUP + i];
        std::array<Lanes, 16> lower, upper;
        sums_of_four(values.data(), lower.data());
        sums_of_four(values.data() + 4, upper.data());
        for (std::size_t way = 0; way < 256; ++way)
            for (std::size_t lane = 0; lane < LANES; ++lane)
                table[way * LANES + lane] = lower[way & 15][lane] + upper[way >> 4][lane];
    }

    PARTWISE_CLONES void add(int64_t group) {
        const uint8_t* const at = indices_.data + group * trials_;
        double* sums = sums_.data();
        if (group + AT_ONCE <= groups_) {
            for (int64_t trial = 0; trial < trials_; ++trial, sums += LANES) {
                Lanes sum;
                for (std::size_t lane = 0; lane < LANES; ++lane) sum[lane] = sums[lane];
                for (int64_t i = 0; i < AT_ONCE; ++i) {
                    const double* const more = table_.data() + (i * 256 + at[i * trials_ + trial]) * LANES;
                    for (std::size_t lane = 0; lane < LANES; ++lane) sum[lane] += more[lane];
                }
                for (std::size_t lane = 0; lane < LANES; ++lane) sums[lane] = sum[lane];
            }
            return;
        }
        for (int64_t trial = 0; trial < trials_; ++trial, sums += LANES)
            for (int64_t i = 0; group + i < groups_; ++i) {
                const double* const more = table_.data() + (i * 256 + at[i * trials_ + trial]) * LANES;
                for (std::size_t lane = 0; lane < LANES; ++lane) sums[lane] += more[lane];
            }
    }

    int64_t queries_, trials_, groups_, columns_;
    RealView values_;
    View<uint8_t> indices_;
    AlignedReals sums_, table_;
};

// In how many trials the first sum is at least so much larger than the second; with `is_size`, at least so far from it.
PARTWISE_CLONES int64_t reaching(const double* first, const double* second, int64_t trials, double reached, bool is_size) {
    std::array<double, SIDE> counts{};
    int64_t trial = 0;
    const auto reaches = [=](int64_t at) {
        const double apart = first[at] - second[at];
        return (is_size ? std::fabs(apart) : apart) >= reached ? 1.0 : 0.0;
    };
    for (; trial + SIDE <= trials; trial += SIDE)
        for (int64_t i = 0; i < SIDE; ++i) counts[place(i)] += reaches(trial + i);
    for (; trial < trials; ++trial) counts[0] += reaches(trial);
    double count = 0;
    for (const double some : counts) count += some;
    return static_cast<int64_t>(count);
}

// By how much the first of two numbers is larger or smaller at most, in a tile of trials.
struct Extremes {
    int16_t most, least;
};
PARTWISE_CLONES Extremes extremes(const int16_t* first, const int16_t* second) {
    int16_t most = std::numeric_limits<int16_t>::min(), least = std::numeric_limits<int16_t>::max();
    for (int64_t i = 0; i < TILE; ++i) {
        const auto apart = static_cast<int16_t>(first[i] - second[i]);
        most = std::max(most, apart);
        least = std::min(least, apart);
    }
    return {most, least};
}

// The largest size of numbers.
PARTWISE_CLONES double largest_of(const std::vector<double>& numbers) {
    std::array<double, LANES> most{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        double& largest = most[i % LANES];
        const double size = std::fabs(numbers[i]);
        largest = size > largest ? size : largest;
    }
    return *std::max_element(most.begin(), most.end());
}

// Numbers in units, without fractions; they are none that are larger than the largest, but some may not be numbers.
PARTWISE_CLONES void round_down(const double* numbers, int64_t count, double per_unit, int16_t* rounded) {
    for (int64_t i = 0; i < count; ++i) {
        const double number = numbers[i] * per_unit;
        const double known = number > -LARGEST_ROUNDED ? number : -LARGEST_ROUNDED;
        rounded[i] = static_cast<int16_t>(static_cast<int32_t>(known));
    }
}

// The sums of columns for all trials, and once more rounded to 16 bits: a quarter of the bytes are enough to find the tiles
// of trials in which a pair of columns cannot be as far apart as it is in the data.
class Sums {
  public:
    Sums(std::vector<double> sums, int64_t trials)
        : sums_(std::move(sums)), trials_(trials), tiles_((trials + TILE - 1) / TILE) {
        unit_ = largest_of(sums_) / LARGEST_ROUNDED;
        if (!(unit_ > SMALLEST_UNIT && unit_ < LARGEST_UNIT)) return;
        const int64_t columns = trials_ ? static_cast<int64_t>(sums_.size()) / trials_ : 0;
        rounded_.resize(place(columns * tiles_ * TILE));  // zeros fill the last tile
        for (int64_t column = 0; column < columns; ++column)
            round_down(&sums_[place(column * trials_)], trials_, 1 / unit_, &rounded_[place(column * tiles_ * TILE)]);
    }

    // Adds in how many trials the sums of each pair are as far apart as in the data, all pairs of a tile together.
    void count(IntView first, IntView second, RealView reached, bool one_sided, Ints& counts) const {
        for (int64_t tile = 0; tile < tiles_; ++tile)
            for (int64_t pair = 0; pair < first.size; ++pair) {
                const int64_t one = first[pair], other = second[pair];
                if (!rounded_.empty() && is_below(tile, one, other, reached[pair], one_sided)) continue;
                const int64_t begin = tile * TILE, size = std::min(TILE, trials_ - begin);
                counts[place(pair)] += reaching(&sums_[place(one * trials_ + begin)], &sums_[place(other * trials_ + begin)],
                                                size, reached[pair], !one_sided);
            }
    }

  private:
    // Each rounded number is less than one unit from the sum, itself rounded.
    bool is_below(int64_t tile, int64_t first, int64_t second, double reached, bool one_sided) const {
        const int64_t begin = tile * TILE, size = tiles_ * TILE;
        const auto [most, least] = extremes(&rounded_[place(first * size + begin)], &rounded_[place(second * size + begin)]);
        const int farthest = one_sided ? most : std::max<int>(most, -least);
        return (farthest + 3) * unit_ < reached;
    }

    static constexpr double SMALLEST_UNIT = 1e-290, LARGEST_UNIT = 1e290;

    std::vector<double> sums_;
    int64_t trials_, tiles_;
    double unit_ = 0;
    std::vector<int16_t> rounded_;  // empty if the sums are too large or too small
};

// The means of the columns over some queries.
PARTWISE_CLONES void means_over(IntView queries, RealView values, std::vector<double>& means) {
    std::fill(means.begin(), means.end(), 0.0);
    const std::size_t columns = means.size();
    const auto row = [&](int64_t i) { return values.data + queries[i] * static_cast<int64_t>(columns); };
    int64_t i = 0;
    for (; i + 4 <= queries.size; i += 4) {
        const double *const a = row(i), *const b = row(i + 1), *const c = row(i + 2), *const d = row(i + 3);
        for (std::size_t column = 0; column < columns; ++column)
            means[column] = means[column] + a[column] + b[column] + c[column] + d[column];
    }
    for (; i < queries.size; ++i)
        for (std::size_t column = 0; column < columns; ++column) means[column] += row(i)[column];
    for (double& mean : means) mean /= static_cast<double>(queries.size);
}

// Where a run and each of the `others` that follow it are counted: twice the step of their difference in the first set, and
// one more if the second set orders them the other way round. In a loop without branches, which compilers make into
// vector instructions.
PARTWISE_CLONES void write_bins(const double* first, const double* second, std::size_t others, const DifferenceSteps& steps, int32_t* bins) {
    const double one = first[0], again = second[0], last = static_cast<double>(steps.count - 1);
    const double equal = steps.equal, per_unit = steps.per_unit, slack = steps.slack;
    for (std::size_t i = 0; i < others; ++i) {
        const double apart = one - first[i + 1], other = again - second[i + 1];
        const double step = std::fabs(apart) * per_unit + slack;
        const bool is_swapped = ((apart > equal) & (other < -equal)) | ((apart < -equal) & (other > equal));
        bins[i] = 2 * static_cast<int32_t>(step < last ? step : last) + is_swapped;
    }
}

}  // namespace

std::vector<uint8_t> packed_signs(View<uint8_t> bytes, int64_t queries) {
    const int64_t trials = queries ? bytes.size / queries : 0, groups = (queries + GROUP - 1) / GROUP;
    std::vector<uint8_t> indices(place(groups * trials));
    for (int64_t trial = 0; trial < trials; ++trial) {
        const uint8_t* const row = bytes.data + trial * queries;
        for (int64_t group = 0; group < groups; ++group) {
            const int64_t begin = group * GROUP, count = std::min(GROUP, queries - begin);
            uint64_t word = 0;
            if (count == GROUP)
                for (int64_t i = 0; i < GROUP; ++i) word |= uint64_t{row[begin + i]} << (8 * i);
            else
                for (int64_t i = 0; i < count; ++i) word |= uint64_t{row[begin + i]} << (8 * i);
            // the highest bit of byte i becomes bit i of the highest byte
            const uint64_t ones = (word >> 7) & 0x0101010101010101U;
            indices[place(group * trials + trial)] = static_cast<uint8_t>((ones * 0x0102040810204080U) >> 56);
        }
    }
    return indices;
}

Ints flip_counts(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached,
                 bool one_sided) {
    const int64_t trials = signs.trials();
    ColumnSums columns(signs, values);
    std::vector<double> sums(place(columns.columns() * trials));
    for (int64_t low = 0; low < columns.columns(); low += LANES) columns.write(low, sums.data());
    Ints counts(place(first.size));
    Sums(std::move(sums), trials).count(first, second, reached, one_sided, counts);
    return counts;
}

Ints swap_counts(const QuerySets& sets, RealView values, IntView offsets, const DifferenceSteps& steps) {
    const int64_t measures = offsets.size - 1;
    Ints counts(place(measures * steps.count * 2));
    std::vector<double> first(place(offsets[measures])), second(first);
    std::vector<int32_t> bins(first.size());
    std::array<Ints, SIDES> counted;
    counted.fill(counts);
    for (int64_t trial = 0; trial < sets.trials(); ++trial) {
        const int64_t* const order = sets.orders.data + 2 * sets.size * trial;
        means_over({order, sets.size}, values, first);
        means_over({order + sets.size, sets.size}, values, second);
        for (int64_t measure = 0; measure < measures; ++measure) {
            const std::size_t of_measure = place(measure * steps.count * 2);
            const std::size_t end = place(offsets[measure + 1]);
            for (std::size_t run = place(offsets[measure]); run + 1 < end; ++run) {
                const std::size_t others = end - run - 1;
                write_bins(&first[run], &second[run], others, steps, bins.data());
                for (std::size_t i = 0; i < others; ++i) ++counted[i % SIDES][of_measure + place(bins[i])];
            }
        }
    }
    for (const Ints& side : counted)
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += side[i];
    return counts;
}

}  // namespace partwise
