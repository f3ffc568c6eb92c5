#include "flips.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "aligned.hpp"
#include "rounded_sums.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr int64_t GROUP = PackedSigns::GROUP;
constexpr int64_t LANES = 16;   // columns that are summed together
constexpr int64_t AT_ONCE = 4;  // groups whose tables are in the cache together
constexpr int64_t SIDE = 32;           // trials that are compared side by side
constexpr int64_t AT_HAND = 512;       // trials whose sums are in the cache together
constexpr int64_t MOST_TRIALS = 4096;  // trials whose sums are in memory together

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

// A pair in one of some trials.
struct Candidate {
    int64_t pair, trial;
};

// Finds the pairs and trials in which sums may be as far apart as in the data, with rounded sums. Only these are decided with
// the sums of the values themselves.
class Search {
  public:
    Search(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached, bool one_sided)
        : trials_(signs.trials()), sums_(signs, values), is_worth_it_(sums_.is_possible()) {
        if (!is_worth_it_) return;
        constexpr int64_t MOST = std::numeric_limits<int16_t>::max();
        others_.resize(place(values.size / signs.queries));
        for (int64_t pair = 0; pair < first.size; ++pair) {
            const double rounded = sums_.least(first[pair], second[pair], reached[pair]);
            if (!(rounded <= static_cast<double>(MOST))) continue;  // no trial reaches it, or it is not a number
            const auto least = static_cast<int64_t>(std::max(rounded, one_sided ? -static_cast<double>(MOST) : 0.0));
            add(pair, first[pair], second[pair], least);
            if (!one_sided) add(pair, second[pair], first[pair], least);  // if it is 0, all trials have candidates: none is kept
        }
        for (std::vector<Other>& others : others_) {
            std::sort(others.begin(), others.end(), [](const Other& one, const Other& two) { return one.least < two.least; });
            others.push_back({std::numeric_limits<int64_t>::max(), 0, 0});  // the end, which is never reached
        }
    }

    // Whether there may be more, and finding them saves time.
    bool is_worth_it() const { return is_worth_it_ && begin_ < trials_; }

    // The first trial that was not searched.
    int64_t begin() const { return begin_; }

    // Adds candidates and their trials, until there are enough trials.
    void next(Ints& trials, std::vector<Candidate>& candidates) {
        while (is_worth_it() && static_cast<int64_t>(trials.size()) < MOST_TRIALS) {
            const int64_t end = std::min(begin_ + RoundedSums::TILE, trials_);
            const std::size_t trials_before = trials.size(), candidates_before = candidates.size();
            add_tile(trials, candidates);
            found_ += static_cast<int64_t>(trials.size() - trials_before);
            if (2 * found_ > end) {  // if most trials have candidates, finding them takes longer than it saves
                is_worth_it_ = false;
                trials.resize(trials_before), candidates.resize(candidates_before);
            } else {
                begin_ = end;
            }
        }
    }

  private:
    // A column whose sum is less than that of another one by at least so much if the pair reaches what it has in the data.
    struct Other {
        int64_t least, at, pair;
    };

    void add(int64_t pair, int64_t column, int64_t other, int64_t least) {
        others_[place(column)].push_back({least, sums_.place_of(other), pair});
        sums_.require(column, least);
    }

    // Adds the candidates of the next tile.
    void add_tile(Ints& trials, std::vector<Candidate>& candidates) {
        std::array<int64_t, RoundedSums::TILE> numbers;  // of the trials that have candidates
        numbers.fill(-1);
        for (const auto& [trial, column] : sums_.write(begin_ / RoundedSums::TILE)) {
            const int16_t* const sums = sums_.of(trial);
            const int64_t sum = sums[sums_.place_of(column)], range = sum - sums_.smallest(trial);
            for (auto other = others_[place(column)].begin(); other->least <= range; ++other) {
                if (sum - sums[other->at] < other->least) continue;
                int64_t& number = numbers[place(trial)];
                if (number < 0) {
                    number = static_cast<int64_t>(trials.size());
                    trials.push_back(begin_ + trial);
                }
                candidates.push_back({other->pair, number});
            }
        }
    }

    int64_t trials_, begin_ = 0, found_ = 0;
    RoundedSums sums_;
    bool is_worth_it_;
    std::vector<std::vector<Other>> others_;  // by column, those that are reached first are the first
};

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

// The sums of all columns for some trials, column after column.
std::vector<double> sums_of(const PackedSigns& signs, const Ints& trials, RealView values) {
    const std::vector<uint8_t> indices = signs_of(signs, trials);
    ColumnSums columns({{indices.data(), static_cast<int64_t>(indices.size())}, signs.queries}, values);
    std::vector<double> sums(place(columns.columns()) * trials.size());
    for (int64_t low = 0; low < columns.columns(); low += LANES) columns.write(low, sums.data());
    return sums;
}

// The pairs, and what their sums have to reach.
struct Pairs {
    IntView first, second;
    RealView reached;
    bool one_sided;
};

// Counts the trials in which the sums of each pair are as far apart as in the data.
void count_all(const Pairs& pairs, const std::vector<double>& sums, int64_t trials, Ints& counts) {
    std::vector<Range> ranges(sums.size() / place(trials));
    for (int64_t begin = 0; begin < trials; begin += AT_HAND) {
        const int64_t size = std::min(AT_HAND, trials - begin);
        const auto of = [&](int64_t column) { return &sums[place(column * trials + begin)]; };
        for (std::size_t column = 0; column < ranges.size(); ++column) ranges[column] = range_of(of(static_cast<int64_t>(column)), size);
        for (int64_t pair = 0; pair < pairs.first.size; ++pair) {
            const int64_t one = pairs.first[pair], other = pairs.second[pair];
            const double reached = pairs.reached[pair];
            const Range &of_one = ranges[place(one)], &of_other = ranges[place(other)];
            if (of_one.most - of_other.least < reached && (pairs.one_sided || of_other.most - of_one.least < reached)) continue;
            counts[place(pair)] += reaching(of(one), of(other), size, reached, !pairs.one_sided);
        }
    }
}

// Counts the candidates whose sums are as far apart as in the data.
void count_candidates(const Pairs& pairs, const std::vector<double>& sums, int64_t trials,
                      const std::vector<Candidate>& candidates, Ints& counts) {
    for (const auto& [pair, trial] : candidates) {
        const double apart = sums[place(pairs.first[pair] * trials + trial)] - sums[place(pairs.second[pair] * trials + trial)];
        counts[place(pair)] += (pairs.one_sided ? apart : std::fabs(apart)) >= pairs.reached[pair];
    }
}

}  // namespace

Ints flip_counts(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached,
                 bool one_sided) {
    Ints counts(place(first.size)), trials;
    const Pairs pairs{first, second, reached, one_sided};
    Search search(signs, values, first, second, reached, one_sided);
    std::vector<Candidate> candidates;
    while (search.is_worth_it()) {
        trials.clear(), candidates.clear();
        search.next(trials, candidates);
        if (!trials.empty())
            count_candidates(pairs, sums_of(signs, trials, values), static_cast<int64_t>(trials.size()), candidates, counts);
    }
    for (int64_t begin = search.begin(); begin < signs.trials(); begin += MOST_TRIALS) {
        trials.resize(place(std::min(MOST_TRIALS, signs.trials() - begin)));
        std::iota(trials.begin(), trials.end(), begin);
        count_all(pairs, sums_of(signs, trials, values), static_cast<int64_t>(trials.size()), counts);
    }
    return counts;
}

}  // namespace partwise
