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

constexpr double LARGEST_ROUNDED = 1e37, SMALLEST_ROUNDED = 1e-30;  // well within single precision

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
    return ONE_SIDED ? first - second : std::fabs(first - second);
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

template <bool ONE_SIDED>
float farthest(const float* first, const float* second, int64_t trials) {
    std::array<float, SIDE> most;
    most.fill(-std::numeric_limits<float>::infinity());
    int64_t trial = 0;
    for (; trial + SIDE <= trials; trial += SIDE)
        for (std::size_t i = 0; i < SIDE; ++i) {
            const float distance = apart<ONE_SIDED>(first[place(trial) + i], second[place(trial) + i]);
            most[i] = distance > most[i] ? distance : most[i];
        }
    for (; trial < trials; ++trial) most[0] = std::max(most[0], apart<ONE_SIDED>(first[trial], second[trial]));
    return *std::max_element(most.begin(), most.end());
}

// The sums of columns for all trials, and once more in single precision: half the bytes are enough to find the trials
// in which a pair of columns cannot be as far apart as it is in the data.
class Sums {
  public:
    Sums(std::vector<double> sums, int64_t trials) : sums_(std::move(sums)), trials_(trials), rounded_(sums_.size()) {
        double largest = 0;
        for (const double sum : sums_) largest = std::max(largest, std::fabs(sum));
        if (!(largest < LARGEST_ROUNDED)) return;
        for (std::size_t i = 0; i < sums_.size(); ++i) rounded_[i] = static_cast<float>(sums_[i]);
        error_ = 4 * largest * std::numeric_limits<float>::epsilon() + SMALLEST_ROUNDED;
    }

    template <bool ONE_SIDED>
    int64_t reaching(int64_t first, int64_t second, double reached) const {
        int64_t count = 0;
        for (int64_t trial = 0; trial < trials_; trial += TILE) {
            const int64_t size = std::min(TILE, trials_ - trial), one = first * trials_ + trial, other = second * trials_ + trial;
            if (farthest<ONE_SIDED>(rounded_.data() + one, rounded_.data() + other, size) + error_ < reached) continue;
            count += counted<ONE_SIDED>(sums_.data() + one, sums_.data() + other, size, reached);
        }
        return count;
    }

  private:
    std::vector<double> sums_;
    int64_t trials_;
    std::vector<float> rounded_;
    // of the difference of two rounded sums, itself rounded; infinite where none are
    double error_ = std::numeric_limits<double>::infinity();
};

// A whole number of 128 bits, of which products and sums keep the lowest.
struct Wide {
    uint64_t high, low;
};

uint64_t high_product(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Product = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Product>(a) * b) >> 64);
#else
    const uint64_t a_low = a & 0xFFFFFFFFU, a_high = a >> 32, b_low = b & 0xFFFFFFFFU, b_high = b >> 32;
    const uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    const uint64_t other = a_low * b_high + (middle & 0xFFFFFFFFU);
    return a_high * b_high + (middle >> 32) + (other >> 32);
#endif
}

Wide operator*(const Wide& a, const Wide& b) {
    return {high_product(a.low, b.low) + a.high * b.low + a.low * b.high, a.low * b.low};
}

Wide operator+(const Wide& a, const Wide& b) {
    const uint64_t low = a.low + b.low;
    return {a.high + b.high + (low < a.low), low};
}

// The 32-bit numbers of PCG64 (O'Neill 2014: a linear congruential generator of 128 bits, whose halves are combined and
// rotated): the lower, then the upper half of each 64-bit number.
class Draws {
  public:
    explicit Draws(const Generator& generator) {
        const Wide factor{0x2360ED051FC65DA4U, 0x4385DF649FCCF645U}, step{generator.step_high, generator.step_low};
        Wide state{generator.state_high, generator.state_low};
        factor_ = {0, 1}, step_ = {0, 0};
        for (Wide& each : states_) {
            each = state = state * factor + step;
            step_ = step_ * factor + step;
            factor_ = factor_ * factor;
        }
    }

    // The place with which Fisher and Yates exchange each last place, down from places.size() - 1. A number is drawn again
    // as long as it is too large, after bits that are too high are masked.
    void exchange(std::vector<uint32_t>& places) {
        std::size_t last = places.size() - 1;
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
                    places[last] = number;
                    last -= number <= last;
                }
                next_ = next;
            }
        }
    }

  private:
    static constexpr std::size_t CHAINS = 4;  // states that are computed side by side, each from the one before the others

    void draw() {
        for (std::size_t i = 0; i < numbers_.size(); i += 2 * CHAINS)
            for (std::size_t chain = 0; chain < CHAINS; ++chain) {
                const Wide state = states_[chain];
                const uint64_t both = state.high ^ state.low;
                const unsigned rotation = static_cast<unsigned>(state.high >> 58);
                const uint64_t number = (both >> rotation) | (both << (-rotation & 63));
                numbers_[i + 2 * chain] = static_cast<uint32_t>(number);
                numbers_[i + 2 * chain + 1] = static_cast<uint32_t>(number >> 32);
                states_[chain] = state * factor_ + step_;
            }
        next_ = 0;
    }

    std::array<Wide, CHAINS> states_;
    Wide factor_, step_;  // of as many steps as there are chains
    std::array<uint32_t, 1024> numbers_;
    std::size_t next_ = numbers_.size();
};

template <std::size_t MEASURES>
void ranges_of(const Generator& generator, const Grid& grid, int64_t trials, double* ranges) {
    using Values = std::array<double, MEASURES>;
    const std::size_t runs = place(grid.runs);
    Draws draws(generator);
    std::vector<Values> sums(runs);
    std::vector<uint32_t> places(runs), in_order(runs), order(runs);
    std::iota(in_order.begin(), in_order.end(), uint32_t{0});
    for (int64_t trial = 0; trial < trials; ++trial) {
        std::fill(sums.begin(), sums.end(), Values{});
        for (int64_t query = 0; query < grid.queries; ++query) {
            const double* const row = grid.values.data + query * grid.runs * static_cast<int64_t>(MEASURES);
            order = in_order;
            draws.exchange(places);
            for (std::size_t last = runs - 1; last > 0; --last) {
                uint32_t& chosen = order[places[last]];
                const double* const values = row + chosen * MEASURES;
                for (std::size_t i = 0; i < MEASURES; ++i) sums[last][i] += values[i];
                chosen = order[last];
            }
            for (std::size_t i = 0; i < MEASURES; ++i) sums[0][i] += row[order[0] * MEASURES + i];
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
    for (int64_t i = 0; i < queries.size; ++i) {
        const double* const row = values.data + queries[i] * static_cast<int64_t>(columns);
        for (std::size_t column = 0; column < columns; ++column) means[column] += row[column];
    }
    for (double& mean : means) mean /= static_cast<double>(queries.size);
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
    for (int64_t trial = 0; trial < sets.trials(); ++trial) {
        const int64_t* const order = sets.orders.data + 2 * sets.size * trial;
        means_over({order, sets.size}, values, first);
        means_over({order + sets.size, sets.size}, values, second);
        for (int64_t measure = 0; measure < measures; ++measure) {
            int64_t* const of_measure = &counts[place(measure * steps.count * 2)];
            const std::size_t end = place(offsets[measure + 1]);
            for (std::size_t run = place(offsets[measure]); run < end; ++run)
                for (std::size_t other = run + 1; other < end; ++other) {
                    const double apart = first[run] - first[other], again = second[run] - second[other];
                    const double step = std::fabs(apart) * steps.per_unit + steps.slack;
                    const bool is_inside = step < static_cast<double>(steps.count - 1);
                    const bool is_swapped = ((apart > steps.equal) & (again < -steps.equal)) | ((apart < -steps.equal) & (again > steps.equal));
                    ++of_measure[2 * (is_inside ? static_cast<int64_t>(step) : steps.count - 1) + is_swapped];
                }
        }
    }
    return counts;
}

}  // namespace partwise
