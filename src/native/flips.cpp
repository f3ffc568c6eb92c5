#include "flips.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aligned.hpp"
#include "rounded_sums.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr int64_t GROUP = PackedSigns::GROUP;
constexpr int64_t LANES = 16;   // columns that are summed together
constexpr int64_t AT_ONCE = 4;  // groups whose tables are in the cache together
constexpr int64_t TILE = RoundedSums::TILE;
constexpr int64_t SIDE = 32;    // trials that are compared side by side

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

// Finds the candidates among trials, from the first ones on.
class Search {
  public:
    Search(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached, bool one_sided)
        : trials_(signs.trials()), is_size_(!one_sided), sums_(signs, values), is_rounded_(sums_.is_possible()) {
        constexpr double MOST = std::numeric_limits<int16_t>::max();
        for (int64_t pair = 0; pair < first.size; ++pair) {
            const double least = is_rounded_ ? sums_.least(first[pair], second[pair], reached[pair]) : 0;
            if (least <= MOST)
                pairs_.push_back({pair, first[pair], second[pair], static_cast<int16_t>(std::max(least, one_sided ? -MOST : 0.0))});
        }
        near_.resize(pairs_.size());
    }

    bool is_done() const { return begin_ >= trials_; }

    // The next candidates, in as many tiles as have MOST_TRIALS of them.
    Candidates next() {
        Candidates candidates;
        for (; !is_done() && static_cast<int64_t>(candidates.trials.size()) < MOST_TRIALS; begin_ += TILE) {
            const int64_t end = std::min(begin_ + TILE, trials_);
            std::array<int16_t, TILE> marks{};
            if (is_rounded_)
                mark(marks.data(), candidates.pairs);
            else
                for (const Pair& pair : pairs_) candidates.pairs.push_back(pair.at);
            for (int64_t trial = begin_; trial < end; ++trial)
                if (!is_rounded_ || marks[place(trial - begin_)]) candidates.trials.push_back(trial);
            count_ += static_cast<int64_t>(candidates.trials.size()) - candidates.trial_offsets.back();
            candidates.end_tile();
            // if most trials are candidates, finding them takes longer than it saves
            is_rounded_ = is_rounded_ && 2 * count_ < end;
        }
        return candidates;
    }

  private:
    static constexpr int64_t MOST_TRIALS = 4000;  // whose sums are in memory at the same time

    struct Pair {
        int64_t at, first, second;
        int16_t least;
    };

    // Marks the candidates of a tile, and adds their pairs.
    void mark(int16_t* marks, Ints& pairs) {
        sums_.write(begin_ / TILE);
        std::size_t count = 0;
        for (const Pair& pair : pairs_) {  // without a branch, which would often be predicted wrongly
            near_[count] = &pair;
            count += sums_.most(pair.first, pair.second, is_size_) >= pair.least;
        }
        for (std::size_t i = 0; i < count; ++i)
            if (sums_.mark(near_[i]->first, near_[i]->second, near_[i]->least, is_size_, marks)) pairs.push_back(near_[i]->at);
    }

    int64_t trials_, begin_ = 0, count_ = 0;
    bool is_size_;
    RoundedSums sums_;
    bool is_rounded_;
    std::vector<Pair> pairs_;         // without those that no trial can reach
    std::vector<const Pair*> near_;
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

// Counts in which candidates the sums are as far apart as in the data.
void decide(const Candidates& candidates, const PackedSigns& signs, RealView values, IntView first, IntView second,
            RealView reached, bool one_sided, Ints& counts) {
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
}

}  // namespace

Ints flip_counts(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached,
                 bool one_sided) {
    Ints counts(place(first.size));
    Search search(signs, values, first, second, reached, one_sided);
    while (!search.is_done()) {
        const Candidates candidates = search.next();
        if (!candidates.trials.empty()) decide(candidates, signs, values, first, second, reached, one_sided, counts);
    }
    return counts;
}

}  // namespace partwise
