#include "resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "aligned.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr int64_t GROUP = PackedSigns::GROUP;
constexpr int64_t LANES = 16;   // columns that are summed together
constexpr int64_t AT_ONCE = 4;  // groups whose tables are in the cache together
constexpr int64_t TILE = 256;   // trials whose sums are compared together
constexpr int64_t SIDE = 32;    // of which this many side by side

constexpr std::size_t SIDES = 4;  // counters, so that none waits for another

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
            for (int64_t i = 0; i < std::min(AT_ONCE, groups_ - group); ++i) fill_table(low, group + i, table_.data() + i * 256 * LANES);
            add(group);
        }
        for (int64_t begin = 0; begin < trials_; begin += SIDE)  // few enough for the cache
            for (int64_t lane = 0; lane < std::min(LANES, columns_ - low); ++lane)
                for (int64_t trial = begin; trial < std::min(begin + SIDE, trials_); ++trial)
                    sums[(low + lane) * trials_ + trial] = sums_.data()[trial * LANES + lane];
    }

  private:
    PARTWISE_CLONES void fill_table(int64_t low, int64_t group, double* table) const {
        std::array<Lanes, GROUP> values{};
        for (int64_t i = 0; i < GROUP && group * GROUP + i < queries_; ++i)
            for (int64_t lane = 0; lane < std::min(LANES, columns_ - low); ++lane)
                values[place(i)][place(lane)] = values_[(low + lane) * queries_ + group * GROUP + i];
        std::array<Lanes, 16> lower, upper;
        sums_of_four(values.data(), lower.data());
        sums_of_four(values.data() + 4, upper.data());
        const auto fill = [&](std::size_t way) {
            for (std::size_t lane = 0; lane < LANES; ++lane)
                table[way * LANES + lane] = lower[way & 15][lane] + upper[way >> 4][lane];
        };
        if (trials_ < 256)  // not all ways occur
            for (int64_t trial = 0; trial < trials_; ++trial) fill(indices_[group * trials_ + trial]);
        else
            for (std::size_t way = 0; way < 256; ++way) fill(way);
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

// The largest and the smallest of some sums, without those that are not numbers.
struct Range {
    double most, least;
};
PARTWISE_CLONES Range range_of(const double* sums, int64_t trials) {
    Lanes most, least;
    most.fill(-std::numeric_limits<double>::infinity());
    least.fill(std::numeric_limits<double>::infinity());
    const auto widen = [&](std::size_t lane, double sum) {
        most[lane] = sum > most[lane] ? sum : most[lane];
        least[lane] = sum < least[lane] ? sum : least[lane];
    };
    int64_t trial = 0;
    for (; trial + LANES <= trials; trial += LANES)
        for (std::size_t lane = 0; lane < LANES; ++lane) widen(lane, sums[trial + static_cast<int64_t>(lane)]);
    for (; trial < trials; ++trial) widen(0, sums[trial]);
    return {*std::max_element(most.begin(), most.end()), *std::min_element(least.begin(), least.end())};
}

// The sum of the sizes of numbers.
PARTWISE_CLONES double total_size(const double* numbers, int64_t count) {
    Lanes totals{};
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES)
        for (int64_t i = 0; i < LANES; ++i) totals[place(i)] += std::fabs(numbers[at + i]);
    for (; at < count; ++at) totals[0] += std::fabs(numbers[at]);
    return std::accumulate(totals.begin(), totals.end(), 0.0);
}

// Numbers in whole units, the nearest ones; what is rounded away is written to `errors`, in units.
PARTWISE_CLONES void round_all(const double* numbers, int64_t count, double unit, int16_t* rounded, double* errors) {
    for (int64_t i = 0; i < count; ++i) {
        const double number = numbers[i] / unit;
        const auto nearest = static_cast<int32_t>(number + (number < 0 ? -0.5 : 0.5));
        rounded[i] = static_cast<int16_t>(nearest);
        errors[i] = number - nearest;
    }
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

// Marks the trials of a tile in which the first number is at least so much larger; with `is_size`, so far from the second.
PARTWISE_CLONES void mark_tile(const int16_t* first, const int16_t* second, int16_t least, bool is_size, int16_t* marks) {
    const int16_t most = is_size ? static_cast<int16_t>(-least) : std::numeric_limits<int16_t>::min();
    for (int64_t i = 0; i < TILE; ++i) {
        const auto apart = static_cast<int16_t>(first[i] - second[i]);
        marks[i] = static_cast<int16_t>(marks[i] | (apart >= least) | (apart <= most));
    }
}

// The sums of columns of values that are rounded to whole units, for one tile of trials after the other. The unit is so large
// that neither a sum nor the difference of two sums has more than 16 bits, whatever the signs; a quarter of the bytes of the
// sums themselves are enough to find the few trials in which a pair of columns may be as far apart as it is in the data.
class RoundedSums {
  public:
    RoundedSums(const PackedSigns& signs, RealView values)
        : signs_(signs),
          columns_(signs.queries ? values.size / signs.queries : 0),
          fours_((signs.groups() + AT_ONCE - 1) / AT_ONCE * AT_ONCE * 2) {
        if (columns_ <= LANES || signs.queries > MOST_QUERIES) return;
        double largest = 0;
        for (int64_t column = 0; column < columns_; ++column) {
            const double total = total_size(values.data + column * signs.queries, signs.queries);
            if (!(total < LARGEST_TOTAL)) return;  // too large, or not a number
            largest = std::max(largest, total);
        }
        // rounding adds up to half a unit to the size of each value
        if (largest >= SMALLEST_TOTAL) unit_ = largest / (LARGEST_ROUNDED - static_cast<double>(signs.queries) / 2);
        if (is_possible()) fill_tables(values);
    }

    // Whether there is a unit: all values are finite, neither too large nor too small, and so many that rounding saves time.
    bool is_possible() const { return unit_ > 0; }

    // The smallest difference of rounded sums, in units, at which that of the sums themselves may be `reached`. The one unit
    // that is subtracted is far more than the rounding errors of all doubles that are added and divided.
    double least(int64_t first, int64_t second, double reached) const {
        return std::floor(reached / unit_ - errors_[place(first)] - errors_[place(second)] - 1);
    }

    // Marks the trials of the tile in which two sums are at least so far apart, if there are any.
    bool mark(int64_t first, int64_t second, int16_t least, bool is_size, int16_t* marks) const {
        const Extremes &one = extremes_[place(first)], &other = extremes_[place(second)];
        if (one.most - other.least < least && !(is_size && other.most - one.least >= least)) return false;
        const auto [largest, smallest] = extremes(of(first), of(second));
        if (largest < least && !(is_size && -smallest >= least)) return false;
        mark_tile(of(first), of(second), least, is_size, marks);
        return true;
    }

    void write(int64_t tile) {
        const int64_t begin = tile * TILE, trials = std::min(TILE, signs_.trials() - begin);
        for (int64_t block = 0; block * BLOCK < columns_; ++block) {
            std::fill_n(sums_.data(), TILE * BLOCK, int16_t{0});
            for (int64_t group = 0; group < signs_.groups(); group += AT_ONCE) add(block, group, begin, trials);
            for (int64_t from = 0; from < TILE; from += SIDE)
                for (int64_t lane = 0; lane < BLOCK; ++lane)
                    for (int64_t trial = from; trial < from + SIDE; ++trial)
                        tile_.data()[(block * BLOCK + lane) * TILE + trial] = sums_.data()[trial * BLOCK + lane];
        }
        const std::array<int16_t, TILE> zeros{};
        for (int64_t column = 0; column < columns_; ++column) extremes_[place(column)] = extremes(of(column), zeros.data());
    }

  private:
    static constexpr int64_t BLOCK = 64;           // columns side by side
    static constexpr int64_t WAYS = 16;            // to choose the signs of four values
    static constexpr int64_t MOST_QUERIES = 4000;  // with more, rounding errors are as large as most sums
    static constexpr double LARGEST_ROUNDED = 16000;
    static constexpr double SMALLEST_TOTAL = 1e-280, LARGEST_TOTAL = 1e290;

    // The sums of a column in the tile that was written last. Those of missing trials are zeros.
    const int16_t* of(int64_t column) const { return tile_.data() + column * TILE; }

    // For each block of columns, and each four queries, the sums of their values for each way to choose the signs.
    void fill_tables(RealView values) {
        const int64_t queries = signs_.queries, blocks = (columns_ + BLOCK - 1) / BLOCK;
        tables_ = AlignedNumbers<int16_t>(place(blocks * fours_ * WAYS * BLOCK));
        tile_ = AlignedNumbers<int16_t>(place(blocks * BLOCK * TILE));
        sums_ = AlignedNumbers<int16_t>(place(TILE * BLOCK));
        extremes_.resize(place(columns_));
        std::vector<int16_t> rounded(place(queries)), side_by_side(place(fours_ * 4 * BLOCK));
        std::vector<double> errors(place(queries));
        for (int64_t block = 0; block < blocks; ++block) {
            std::fill(side_by_side.begin(), side_by_side.end(), int16_t{0});
            for (int64_t lane = 0; lane < std::min(BLOCK, columns_ - block * BLOCK); ++lane) {
                round_all(values.data + (block * BLOCK + lane) * queries, queries, unit_, rounded.data(), errors.data());
                for (int64_t query = 0; query < queries; ++query) side_by_side[place(query * BLOCK + lane)] = rounded[place(query)];
                errors_.push_back(total_size(errors.data(), queries));
            }
            for (int64_t four = 0; four < fours_; ++four)
                fill_table(&side_by_side[place(four * 4 * BLOCK)], tables_.data() + (block * fours_ + four) * WAYS * BLOCK);
        }
    }

    PARTWISE_CLONES static void fill_table(const int16_t* values, int16_t* table) {
        for (int64_t way = 0; way < WAYS; ++way)
            for (int64_t lane = 0; lane < BLOCK; ++lane) {
                int16_t sum = 0;
                for (int64_t i = 0; i < 4; ++i) {
                    const int16_t value = values[i * BLOCK + lane];
                    sum = static_cast<int16_t>(way >> i & 1 ? sum + value : sum - value);
                }
                table[way * BLOCK + lane] = sum;
            }
    }

    // Adds the sums of four groups, in loops that compilers make into vector instructions.
    PARTWISE_CLONES void add(int64_t block, int64_t group, int64_t begin, int64_t trials) {
        const auto ways = [&](int64_t i) {  // any if the group is missing, because its table has only zeros
            return signs_.indices.data + (group + i < signs_.groups() ? group + i : 0) * signs_.trials() + begin;
        };
        const uint8_t *const a = ways(0), *const b = ways(1), *const c = ways(2), *const d = ways(3);
        const int16_t* const tables = tables_.data() + (block * fours_ + 2 * group) * WAYS * BLOCK;
        const auto lower = [tables](int64_t i, int way) { return tables + (2 * i * WAYS + way % WAYS) * BLOCK; };
        const auto upper = [tables](int64_t i, int way) { return tables + ((2 * i + 1) * WAYS + way / WAYS) * BLOCK; };
        int16_t* sums = sums_.data();
        for (int64_t trial = 0; trial < trials; ++trial, sums += BLOCK) {
            const int16_t *const a0 = lower(0, a[trial]), *const a1 = upper(0, a[trial]);
            const int16_t *const b0 = lower(1, b[trial]), *const b1 = upper(1, b[trial]);
            const int16_t *const c0 = lower(2, c[trial]), *const c1 = upper(2, c[trial]);
            const int16_t *const d0 = lower(3, d[trial]), *const d1 = upper(3, d[trial]);
            std::array<int16_t, BLOCK> sum;
            for (std::size_t i = 0; i < BLOCK; ++i)
                sum[i] = static_cast<int16_t>(a0[i] + a1[i] + b0[i] + b1[i] + c0[i] + c1[i] + d0[i] + d1[i]);
            for (std::size_t i = 0; i < BLOCK; ++i) sums[i] = static_cast<int16_t>(sums[i] + sum[i]);
        }
    }

    PackedSigns signs_;
    int64_t columns_;
    int64_t fours_;  // tables for four queries each, with those of groups that are missing
    double unit_ = 0;
    std::vector<double> errors_;      // by column, how far a rounded sum can be from the sum, in units
    std::vector<Extremes> extremes_;  // by column, of the sums in the tile
    AlignedNumbers<int16_t> tables_{0}, tile_{0}, sums_{0};
};

// The trials in which the sums of some pair may be as far apart as in the data, and for each tile the pairs that may be so
// in one of its trials. Only these are decided, with the sums of the values themselves.
struct Candidates {
    Ints trials, pairs;
    Ints trial_offsets{0}, pair_offsets{0};  // tile t has trials[trial_offsets[t]:trial_offsets[t + 1]], and so on

    void end_tile() {
        trial_offsets.push_back(static_cast<int64_t>(trials.size()));
        pair_offsets.push_back(static_cast<int64_t>(pairs.size()));
    }
};

Candidates candidates_of(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached,
                         bool one_sided) {
    RoundedSums sums(signs, values);
    Candidates candidates;
    struct Pair {
        int64_t at;
        int16_t least;
    };
    std::vector<Pair> pairs;  // without those that no trial can reach
    bool is_rounded = sums.is_possible();
    constexpr double MOST = std::numeric_limits<int16_t>::max();
    for (int64_t pair = 0; pair < first.size; ++pair) {
        const double least = is_rounded ? sums.least(first[pair], second[pair], reached[pair]) : 0;
        if (least <= MOST) pairs.push_back({pair, static_cast<int16_t>(std::max(least, one_sided ? -MOST : 0.0))});
    }
    for (int64_t begin = 0; begin < signs.trials(); begin += TILE) {
        const int64_t end = std::min(begin + TILE, signs.trials());
        std::array<int16_t, TILE> marks{};
        if (is_rounded) sums.write(begin / TILE);
        for (const auto [at, least] : pairs) {
            if (is_rounded && !sums.mark(first[at], second[at], least, !one_sided, marks.data())) continue;
            candidates.pairs.push_back(at);
        }
        for (int64_t trial = begin; trial < end; ++trial)
            if (!is_rounded || marks[place(trial - begin)]) candidates.trials.push_back(trial);
        candidates.end_tile();
        // if most trials are candidates, finding them takes longer than it saves
        is_rounded = is_rounded && 2 * static_cast<int64_t>(candidates.trials.size()) < end;
    }
    return candidates;
}

// The signs of some trials.
std::vector<uint8_t> signs_of(const PackedSigns& signs, const Ints& trials) {
    std::vector<uint8_t> indices(place(signs.groups()) * trials.size());
    for (int64_t group = 0; group < signs.groups(); ++group) {
        const uint8_t* const of_group = signs.indices.data + group * signs.trials();
        uint8_t* const chosen = indices.data() + place(group) * trials.size();
        for (std::size_t i = 0; i < trials.size(); ++i) chosen[i] = of_group[trials[i]];
    }
    return indices;
}

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

Ints flip_counts(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached,
                 bool one_sided) {
    Ints counts(place(first.size));
    const Candidates candidates = candidates_of(signs, values, first, second, reached, one_sided);
    if (candidates.trials.empty()) return counts;
    const auto trials = static_cast<int64_t>(candidates.trials.size());
    std::vector<uint8_t> indices;
    PackedSigns chosen = signs;
    if (trials < signs.trials()) {
        indices = signs_of(signs, candidates.trials);
        chosen.indices = {indices.data(), static_cast<int64_t>(indices.size())};
    }
    ColumnSums columns(chosen, values);
    std::vector<double> sums(place(columns.columns() * trials));
    for (int64_t low = 0; low < columns.columns(); low += LANES) columns.write(low, sums.data());
    std::vector<Range> ranges(place(columns.columns()));
    for (std::size_t tile = 0; tile + 1 < candidates.trial_offsets.size(); ++tile) {
        const int64_t begin = candidates.trial_offsets[tile], size = candidates.trial_offsets[tile + 1] - begin;
        const bool is_long = size > SIDE;  // enough trials that it saves time to compare ranges first
        for (int64_t column = 0; is_long && column < columns.columns(); ++column)
            ranges[place(column)] = range_of(&sums[place(column * trials + begin)], size);
        for (int64_t i = candidates.pair_offsets[tile]; i < candidates.pair_offsets[tile + 1]; ++i) {
            const int64_t pair = candidates.pairs[place(i)], one = first[pair], other = second[pair];
            const Range &of_one = ranges[place(one)], &of_other = ranges[place(other)];
            if (is_long && of_one.most - of_other.least < reached[pair] &&
                (one_sided || of_other.most - of_one.least < reached[pair]))
                continue;
            counts[place(pair)] += reaching(&sums[place(one * trials + begin)], &sums[place(other * trials + begin)], size,
                                            reached[pair], !one_sided);
        }
    }
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
