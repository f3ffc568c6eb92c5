#include "resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace partwise {

namespace {

constexpr int64_t GROUP = 8;    // queries whose signs are one index into a table of sums
constexpr int64_t LANES = 16;   // columns that are summed together
constexpr int64_t AT_ONCE = 4;  // groups whose tables are in the cache together
constexpr int64_t TILE = 256;   // trials whose sums are compared together
constexpr int64_t SIDE = 32;    // of which this many side by side

constexpr double LARGEST_ROUNDED = 16000;  // the difference of two is within 16 bits
constexpr double LARGEST_SUM = 1e300, SMALLEST_SUM = 1e-290;  // quotients of them are within double precision

using Lanes = std::array<double, LANES>;

std::size_t place(int64_t at) { return static_cast<std::size_t>(at); }

// For each group of queries and each trial, the signs of the group as an index.
std::vector<uint8_t> indices_of(const Signs& signs, int64_t groups) {
    const int64_t trials = signs.trials();
    std::vector<uint8_t> indices(place(groups * trials));
    for (int64_t trial = 0; trial < trials; ++trial) {
        const uint8_t* const row = signs.bytes.data + trial * signs.queries;
        for (int64_t group = 0; group < groups; ++group) {
            const int64_t begin = group * GROUP, count = std::min(GROUP, signs.queries - begin);
            uint64_t bytes = 0;
            if (count == GROUP)
                for (int64_t i = 0; i < GROUP; ++i) bytes |= uint64_t{row[begin + i]} << (8 * i);
            else
                for (int64_t i = 0; i < count; ++i) bytes |= uint64_t{row[begin + i]} << (8 * i);
            // the highest bit of byte i becomes bit i of the highest byte
            const uint64_t ones = (bytes >> 7) & 0x0101010101010101U;
            indices[place(group * trials + trial)] = static_cast<uint8_t>((ones * 0x0102040810204080U) >> 56);
        }
    }
    return indices;
}

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
    ColumnSums(const Signs& signs, RealView values)
        : queries_(signs.queries),
          trials_(signs.trials()),
          groups_((signs.queries + GROUP - 1) / GROUP),
          columns_(signs.queries ? values.size / signs.queries : 0),
          values_(values),
          indices_(indices_of(signs, groups_)),
          sums_(place(trials_)),
          table_(place(AT_ONCE * 256)) {}

    int64_t columns() const { return columns_; }

    // Write the sums of up to LANES columns from `low`: those of column c to sums[c * trials : (c + 1) * trials].
    void write(int64_t low, double* sums) {
        std::fill(sums_.begin(), sums_.end(), Lanes{});
        for (int64_t group = 0; group < groups_; group += AT_ONCE) {
            for (int64_t i = 0; i < AT_ONCE; ++i) fill_table(low, group + i, &table_[place(i * 256)]);
            add(group);
        }
        for (int64_t lane = 0; lane < std::min(LANES, columns_ - low); ++lane)
            for (int64_t trial = 0; trial < trials_; ++trial)
                sums[(low + lane) * trials_ + trial] = sums_[place(trial)][place(lane)];
    }

  private:
    void fill_table(int64_t low, int64_t group, Lanes* table) const {
        std::array<Lanes, GROUP> values{};
        for (int64_t i = 0; i < GROUP && group * GROUP + i < queries_; ++i)
            for (int64_t lane = 0; lane < std::min(LANES, columns_ - low); ++lane)
                values[place(i)][place(lane)] = values_[(low + lane) * queries_ + group * GROUP + i];
        std::array<Lanes, 16> lower, upper;
        sums_of_four(values.data(), lower.data());
        sums_of_four(values.data() + 4, upper.data());
        for (std::size_t way = 0; way < 256; ++way)
            for (std::size_t lane = 0; lane < LANES; ++lane)
                table[way][lane] = lower[way & 15][lane] + upper[way >> 4][lane];
    }

    void add(int64_t group) {
        if (group + AT_ONCE <= groups_) {
            const uint8_t* const at = indices_.data() + group * trials_;
            for (int64_t trial = 0; trial < trials_; ++trial) {
                Lanes sum = sums_[place(trial)];
                for (int64_t i = 0; i < AT_ONCE; ++i) {
                    const Lanes& more = table_[place(i * 256 + at[i * trials_ + trial])];
                    for (std::size_t lane = 0; lane < LANES; ++lane) sum[lane] += more[lane];
                }
                sums_[place(trial)] = sum;
            }
            return;
        }
        for (int64_t i = 0; group + i < groups_; ++i)
            for (int64_t trial = 0; trial < trials_; ++trial) {
                const Lanes& more = table_[place(i * 256 + indices_[place((group + i) * trials_ + trial)])];
                for (std::size_t lane = 0; lane < LANES; ++lane) sums_[place(trial)][lane] += more[lane];
            }
    }

    int64_t queries_, trials_, groups_, columns_;
    RealView values_;
    std::vector<uint8_t> indices_;
    std::vector<Lanes> sums_, table_;
};

// How far two sums are apart; with ONE_SIDED, how much the first is larger.
template <bool ONE_SIDED, class Number>
Number apart(Number first, Number second) {
    return ONE_SIDED ? first - second : std::abs(first - second);
}

// In loops over `SIDE` trials side by side, which compilers make into vector instructions.
template <bool ONE_SIDED>
int64_t counted(const double* first, const double* second, int64_t trials, double reached) {
    std::array<double, SIDE> counts{};
    int64_t trial = 0;
    for (; trial + SIDE <= trials; trial += SIDE)
        for (std::size_t i = 0; i < SIDE; ++i)
            counts[i] += apart<ONE_SIDED>(first[place(trial) + i], second[place(trial) + i]) >= reached ? 1.0 : 0.0;
    for (; trial < trials; ++trial) counts[0] += apart<ONE_SIDED>(first[trial], second[trial]) >= reached ? 1.0 : 0.0;
    double count = 0;
    for (const double some : counts) count += some;
    return static_cast<int64_t>(count);
}

// The largest distance in any of the trials, at least 0.
template <bool ONE_SIDED>
int farthest(const int16_t* first, const int16_t* second, int64_t trials) {
    std::array<int16_t, SIDE> most{}, least{};
    int64_t trial = 0;
    for (; trial + SIDE <= trials; trial += SIDE)
        for (std::size_t i = 0; i < SIDE; ++i) {
            const int16_t distance = static_cast<int16_t>(first[place(trial) + i] - second[place(trial) + i]);
            most[i] = std::max(most[i], distance);
            if (!ONE_SIDED) least[i] = std::min(least[i], distance);
        }
    for (std::size_t width = SIDE / 2; width > 0; width /= 2)
        for (std::size_t i = 0; i < width; ++i) {
            most[i] = std::max(most[i], most[i + width]);
            least[i] = std::min(least[i], least[i + width]);
        }
    int distance = std::max<int>(most[0], -least[0]);
    for (; trial < trials; ++trial) distance = std::max(distance, apart<ONE_SIDED>(int{first[trial]}, int{second[trial]}));
    return distance;
}

// The largest size of any value; NaN if one is not finite.
double largest_size(const std::vector<double>& values) {
    std::array<double, SIDE> most{}, zeros{};
    std::size_t at = 0;
    const auto add = [&](std::size_t i, double value) {
        const double size = std::fabs(value);
        most[i] = size > most[i] ? size : most[i];
        zeros[i] += value - value;
    };
    for (; at + SIDE <= values.size(); at += SIDE)
        for (std::size_t i = 0; i < SIDE; ++i) add(i, values[at + i]);
    for (; at < values.size(); ++at) add(0, values[at]);
    double zero = 0;
    for (const double some : zeros) zero += some;
    return *std::max_element(most.begin(), most.end()) + zero;
}

// The sums of columns for all trials, and once more in steps of the largest / LARGEST_ROUNDED: a quarter of the bytes is
// enough to find the trials in which a pair of columns cannot be as far apart as it is in the data.
class Sums {
  public:
    Sums(std::vector<double> sums, int64_t trials) : sums_(std::move(sums)), trials_(trials), rounded_(sums_.size()) {
        const double largest = largest_size(sums_), steps = LARGEST_ROUNDED / largest;
        if (!(largest > SMALLEST_SUM && largest < LARGEST_SUM)) return;
        for (std::size_t i = 0; i < sums_.size(); ++i) rounded_[i] = static_cast<int16_t>(sums_[i] * steps);
        step_ = largest / LARGEST_ROUNDED;
    }

    template <bool ONE_SIDED>
    int64_t reaching(int64_t first, int64_t second, double reached) const {
        // Each of two rounded sums is less than a step nearer to 0 than its sum. The third step is more than enough for the
        // rounding of products and of this quotient, which matters only up to 2 * LARGEST_ROUNDED.
        const double steps = reached / step_ - 3;
        int64_t count = 0;
        for (int64_t trial = 0; trial < trials_; trial += TILE) {
            const int64_t size = std::min(TILE, trials_ - trial), one = first * trials_ + trial, other = second * trials_ + trial;
            if (farthest<ONE_SIDED>(rounded_.data() + one, rounded_.data() + other, size) < steps) continue;
            count += counted<ONE_SIDED>(sums_.data() + one, sums_.data() + other, size, reached);
        }
        return count;
    }

  private:
    std::vector<double> sums_;
    int64_t trials_;
    std::vector<int16_t> rounded_;
    double step_ = std::numeric_limits<double>::infinity();  // where sums are not rounded, so that all tiles are counted
};

// A whole number of 128 bits, of which products and sums keep the lowest.
#if defined(__SIZEOF_INT128__) && !defined(PARTWISE_PORTABLE)
__extension__ using Wide = unsigned __int128;

Wide wide(uint64_t high, uint64_t low) { return static_cast<Wide>(high) << 64 | low; }

uint64_t high_half(Wide number) { return static_cast<uint64_t>(number >> 64); }

uint64_t low_half(Wide number) { return static_cast<uint64_t>(number); }
#else
struct Wide {
    uint64_t high, low;
};

Wide wide(uint64_t high, uint64_t low) { return {high, low}; }

uint64_t high_half(const Wide& number) { return number.high; }

uint64_t low_half(const Wide& number) { return number.low; }

uint64_t high_product(uint64_t a, uint64_t b) {
    const uint64_t a_low = a & 0xFFFFFFFFU, a_high = a >> 32, b_low = b & 0xFFFFFFFFU, b_high = b >> 32;
    const uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    const uint64_t other = a_low * b_high + (middle & 0xFFFFFFFFU);
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

Wide operator*(const Wide& a, const Wide& b) {
    return {high_product(a.low, b.low) + a.high * b.low + a.low * b.high, a.low * b.low};
}

Wide operator+(const Wide& a, const Wide& b) {
    const uint64_t low = a.low + b.low;
    return {a.high + b.high + (low < a.low), low};
}
#endif

// Writes the lower, then the upper half of a number.
void write_halves(uint64_t number, uint32_t* halves) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = number << 32 | number >> 32;
#endif
    std::memcpy(halves, &number, sizeof number);  // two writes would take longer
}

// The 32-bit numbers of PCG64 (O'Neill 2014: a linear congruential generator of 128 bits, whose halves are combined and
// rotated): the lower, then the upper half of each 64-bit number.
class Draws {
  public:
    explicit Draws(const Generator& generator) {
        const Wide factor = wide(0x2360ED051FC65DA4U, 0x4385DF649FCCF645U);
        const Wide step = wide(generator.step_high, generator.step_low);
        Wide state = wide(generator.state_high, generator.state_low);
        factor_ = wide(0, 1), step_ = wide(0, 0);
        for (Wide& each : states_) {
            each = state = state * factor + step;
            step_ = step_ * factor + step;
            factor_ = factor_ * factor;
        }
    }

    // Permute `order` as Fisher and Yates do: each last place, down from `count` - 1, gets what is at a random place up to
    // it, and that place gets what was last. A number is drawn again as long as it is too large, after bits that are too
    // high are masked. What a number that is too large moves is not looked at again: `order` has 2 * count places.
    void permute(uint32_t* order, uint32_t* permuted, std::size_t count) {
        std::size_t last = count - 1;
        uint32_t mask = 1;
        while (mask < last) mask = 2 * mask + 1;
        for (; mask; mask /= 2) {
            const std::size_t lowest = mask / 2 + 1;
            while (last >= lowest) {
                if (next_ == numbers_.size()) draw();
                const std::size_t end = numbers_.size();
                std::size_t next = next_;
                while (next < end && last >= lowest) {
                    const uint32_t number = numbers_[next++] & mask;
                    permuted[last] = order[number];
                    order[number] = order[last];
                    last -= number <= last;
                }
                next_ = next;
            }
        }
        permuted[0] = order[0];
    }

  private:
    static constexpr std::size_t CHAINS = 2;  // states that are computed side by side, each from the one before the others

    void draw() {
        std::array<Wide, CHAINS> states = states_;
        for (std::size_t i = 0; i < numbers_.size(); i += 2 * CHAINS)
            for (std::size_t chain = 0; chain < CHAINS; ++chain) {
                const uint64_t high = high_half(states[chain]), both = high ^ low_half(states[chain]);
                const unsigned rotation = static_cast<unsigned>(high >> 58);
                const uint64_t number = (both >> rotation) | (both << (-rotation & 63));
                write_halves(number, &numbers_[i + 2 * chain]);
                states[chain] = states[chain] * factor_ + step_;
            }
        states_ = states;
        next_ = 0;
    }

    std::array<Wide, CHAINS> states_;
    Wide factor_, step_;  // of as many steps as there are chains
    std::array<uint32_t, 1024> numbers_;
    std::size_t next_ = numbers_.size();
};

constexpr std::size_t SIDES = 4;  // queries that are added together

// Adds the values of COUNT queries to the sums of runs: those of run r and query q are at rows[places[q * runs + r]] of the
// query's row. Those of a run are added in the order of queries.
template <std::size_t MEASURES, std::size_t COUNT>
void add_permuted(const double* rows, const uint32_t* places, std::size_t runs, std::array<double, MEASURES>* sums) {
    for (std::size_t run = 0; run < runs; ++run) {
        std::array<double, MEASURES> sum = sums[run];
        for (std::size_t query = 0; query < COUNT; ++query) {
            const double* const values = rows + query * runs * MEASURES + places[query * runs + run];
            for (std::size_t i = 0; i < MEASURES; ++i) sum[i] += values[i];
        }
        sums[run] = sum;
    }
}

template <std::size_t MEASURES>
void ranges_of(const Generator& generator, const Grid& grid, int64_t trials, double* ranges) {
    using Values = std::array<double, MEASURES>;
    const std::size_t runs = place(grid.runs), queries = place(grid.queries);
    Draws draws(generator);
    std::vector<Values> sums(runs);
    std::vector<uint32_t> in_order(runs), order(2 * runs), places(SIDES * runs);
    for (std::size_t run = 0; run < runs; ++run) in_order[run] = static_cast<uint32_t>(run * MEASURES);
    for (int64_t trial = 0; trial < trials; ++trial) {
        std::fill(sums.begin(), sums.end(), Values{});
        for (std::size_t query = 0; query < queries; query += SIDES) {
            const std::size_t count = std::min(SIDES, queries - query);
            for (std::size_t i = 0; i < count; ++i) {
                std::copy(in_order.begin(), in_order.end(), order.begin());
                draws.permute(order.data(), &places[i * runs], runs);
            }
            const double* const rows = grid.values.data + query * runs * MEASURES;
            if (count == SIDES)
                add_permuted<MEASURES, SIDES>(rows, places.data(), runs, sums.data());
            else
                for (std::size_t i = 0; i < count; ++i)
                    add_permuted<MEASURES, 1>(rows + i * runs * MEASURES, &places[i * runs], runs, sums.data());
        }
        for (std::size_t i = 0; i < MEASURES; ++i) {
            double low = sums[0][i], high = low;
            for (const Values& sum : sums) low = std::min(low, sum[i]), high = std::max(high, sum[i]);
            ranges[place(trial) * MEASURES + i] = high - low;
        }
    }
}

// The means of the columns over some queries.
void means_over(IntView queries, RealView values, std::vector<double>& means) {
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
void write_bins(const double* first, const double* second, std::size_t others, const DifferenceSteps& steps, int32_t* bins) {
    const double one = first[0], again = second[0], last = static_cast<double>(steps.count - 1);
    const double equal = steps.equal, per_unit = steps.per_unit, slack = steps.slack;
    for (std::size_t i = 0; i < others; ++i) {
        const double apart = one - first[i + 1], other = again - second[i + 1];
        const double step = std::fabs(apart) * per_unit + slack;
        const double swapped =
            apart > equal ? (other < -equal ? 1.0 : 0.0) : (apart < -equal ? (other > equal ? 1.0 : 0.0) : 0.0);
        bins[i] = 2 * static_cast<int32_t>(step < last ? step : last) + static_cast<int32_t>(swapped);
    }
}

}  // namespace

void permuted_ranges(const Generator& generator, const Grid& grid, int64_t trials, double* ranges) {
    switch (grid.measures) {
        case 1: return ranges_of<1>(generator, grid, trials, ranges);
        case 2: return ranges_of<2>(generator, grid, trials, ranges);
        case 3: return ranges_of<3>(generator, grid, trials, ranges);
        default: return ranges_of<4>(generator, grid, trials, ranges);
    }
}

void write_permutations(const Generator& generator, int64_t count, int64_t trials, int64_t kept, int64_t* permutations) {
    Draws draws(generator);
    std::vector<uint32_t> order(2 * place(count)), permuted(place(count));
    for (int64_t trial = 0; trial < trials; ++trial) {
        std::iota(order.begin(), order.begin() + count, uint32_t{0});
        draws.permute(order.data(), permuted.data(), permuted.size());
        std::copy(permuted.begin(), permuted.begin() + kept, permutations + trial * kept);
    }
}

Ints flip_counts(const Signs& signs, RealView values, IntView first, IntView second, RealView reached,
                 bool one_sided) {
    const int64_t trials = signs.trials();
    ColumnSums columns(signs, values);
    std::vector<double> sums(place(columns.columns() * trials));
    for (int64_t low = 0; low < columns.columns(); low += LANES) columns.write(low, sums.data());
    const Sums of_trials(std::move(sums), trials);
    Ints counts(place(first.size));
    for (int64_t pair = 0; pair < first.size; ++pair)
        counts[place(pair)] = one_sided ? of_trials.reaching<true>(first[pair], second[pair], reached[pair])
                                        : of_trials.reaching<false>(first[pair], second[pair], reached[pair]);
    return counts;
}

Ints swap_counts(const QuerySets& sets, RealView values, IntView offsets, const DifferenceSteps& steps) {
    const int64_t measures = offsets.size - 1;
    Ints counts(place(measures * steps.count * 2));
    std::vector<double> first(place(offsets[measures])), second(first);
    std::vector<int32_t> bins(first.size());
    for (int64_t trial = 0; trial < sets.trials(); ++trial) {
        const int64_t* const order = sets.orders.data + 2 * sets.size * trial;
        means_over({order, sets.size}, values, first);
        means_over({order + sets.size, sets.size}, values, second);
        for (int64_t measure = 0; measure < measures; ++measure) {
            int64_t* const of_measure = &counts[place(measure * steps.count * 2)];
            const std::size_t end = place(offsets[measure + 1]);
            for (std::size_t run = place(offsets[measure]); run + 1 < end; ++run) {
                const std::size_t others = end - run - 1;
                write_bins(&first[run], &second[run], others, steps, bins.data());
                for (std::size_t i = 0; i < others; ++i) ++of_measure[bins[i]];
            }
        }
    }
    return counts;
}

}  // namespace partwise
