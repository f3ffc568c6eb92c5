#include "resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace partwise {

namespace {

constexpr int64_t GROUP = 8;    // queries whose signs are one index into a table of sums
constexpr int64_t LANES = 16;   // columns that are summed together
constexpr int64_t AT_ONCE = 4;  // groups whose tables are in the cache together
constexpr int64_t TILE = 256;   // trials whose sums are compared together

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
            const uint8_t* const at = &indices_[place(group * trials_)];
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

template <bool ONE_SIDED>
int64_t counted(const double* first, const double* second, int64_t trials, double reached) {
    int64_t count = 0;
    for (int64_t trial = 0; trial < trials; ++trial) {
        const double apart = first[trial] - second[trial];
        count += (ONE_SIDED ? apart : std::fabs(apart)) >= reached;
    }
    return count;
}

// Random 32-bit numbers: the lower, then the upper half of each word.
class Draws {
  public:
    explicit Draws(View<uint64_t> words) : words_(words) {}

    // Whether no more numbers were drawn than there are.
    bool is_enough() const { return used_ <= 2 * words_.size; }

    // The place with which Fisher and Yates exchange each last place, down from places.size() - 1. A number is drawn again
    // as long as it is too large, after bits that are too high are masked.
    void exchange(std::vector<uint32_t>& places) {
        std::size_t last = places.size() - 1;
        uint32_t mask = 1;
        while (mask < last) mask = 2 * mask + 1;
        for (; mask; mask /= 2) {
            const std::size_t lowest = mask / 2 + 1;
            while (last >= lowest) {
                const uint32_t number = next() & mask;
                places[last] = number;
                last -= number <= last;
            }
        }
    }

  private:
    uint32_t next() {
        const int64_t half = used_++;
        if (half >= 2 * words_.size) return 0;
        return static_cast<uint32_t>(words_[half / 2] >> (32 * (half % 2)));
    }

    View<uint64_t> words_;
    int64_t used_ = 0;
};

template <std::size_t MEASURES>
bool ranges_of(View<uint64_t> words, const Grid& grid, int64_t trials, double* ranges) {
    using Values = std::array<double, MEASURES>;
    const std::size_t runs = place(grid.runs);
    Draws draws(words);
    std::vector<Values> values(runs), sums(runs);
    std::vector<uint32_t> places(runs);
    for (int64_t trial = 0; trial < trials && draws.is_enough(); ++trial) {
        std::fill(sums.begin(), sums.end(), Values{});
        for (int64_t query = 0; query < grid.queries; ++query) {
            const double* const row = grid.values.data + query * grid.runs * static_cast<int64_t>(MEASURES);
            std::memcpy(values.data(), row, runs * sizeof(Values));
            draws.exchange(places);
            for (std::size_t last = runs - 1; last > 0; --last) {
                Values& chosen = values[places[last]];
                for (std::size_t i = 0; i < MEASURES; ++i) sums[last][i] += chosen[i];
                chosen = values[last];
            }
            for (std::size_t i = 0; i < MEASURES; ++i) sums[0][i] += values[0][i];
        }
        for (std::size_t i = 0; i < MEASURES; ++i) {
            double low = sums[0][i], high = low;
            for (const Values& sum : sums) low = std::min(low, sum[i]), high = std::max(high, sum[i]);
            ranges[place(trial) * MEASURES + i] = high - low;
        }
    }
    return draws.is_enough();
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

bool permuted_ranges(View<uint64_t> words, const Grid& grid, int64_t trials, double* ranges) {
    switch (grid.measures) {
        case 1: return ranges_of<1>(words, grid, trials, ranges);
        case 2: return ranges_of<2>(words, grid, trials, ranges);
        case 3: return ranges_of<3>(words, grid, trials, ranges);
        default: return ranges_of<4>(words, grid, trials, ranges);
    }
}

Ints flip_counts(const Signs& signs, RealView values, IntView first, IntView second, RealView reached,
                 bool one_sided) {
    const int64_t trials = signs.trials();
    ColumnSums columns(signs, values);
    std::vector<double> sums(place(columns.columns() * trials));
    for (int64_t low = 0; low < columns.columns(); low += LANES) columns.write(low, sums.data());
    Ints counts(place(first.size));
    std::vector<double> low(place(columns.columns())), high(low);
    for (int64_t trial = 0; trial < trials; trial += TILE) {
        const int64_t size = std::min(TILE, trials - trial);
        for (int64_t column = 0; column < columns.columns(); ++column) {
            const double* const begin = sums.data() + column * trials + trial;
            const auto ends = std::minmax_element(begin, begin + size);
            low[place(column)] = *ends.first;
            high[place(column)] = *ends.second;
        }
        for (int64_t pair = 0; pair < first.size; ++pair) {
            const int64_t one = first[pair], other = second[pair];
            double farthest = high[place(one)] - low[place(other)];
            if (!one_sided) farthest = std::max(farthest, high[place(other)] - low[place(one)]);
            if (farthest < reached[pair]) continue;  // no trial of the tile can reach it
            const double* const of_one = sums.data() + one * trials + trial;
            const double* const of_other = sums.data() + other * trials + trial;
            counts[place(pair)] += one_sided ? counted<true>(of_one, of_other, size, reached[pair])
                                             : counted<false>(of_one, of_other, size, reached[pair]);
        }
    }
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
