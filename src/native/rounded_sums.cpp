#include "rounded_sums.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "text.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr int64_t BLOCK = RoundedSums::BLOCK;
constexpr int64_t LANES = 16;           // numbers that are added side by side
constexpr int64_t AT_ONCE = 4;          // groups whose tables are in the cache together
constexpr int64_t WAYS = 16;            // to choose the signs of four values
constexpr int64_t MOST_QUERIES = 4000;  // with more, rounding errors are as large as most sums
constexpr double LARGEST_ROUNDED = 16000;
constexpr double SMALLEST_TOTAL = 1e-280, LARGEST_TOTAL = 1e290;

using Block = std::array<double, BLOCK>;

std::size_t place(int64_t at) { return static_cast<std::size_t>(at); }

// The sum of the sizes of numbers.
PARTWISE_CLONES double total_size(const double* numbers, int64_t count) {
    std::array<double, LANES> totals{};
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES)
        for (int64_t i = 0; i < LANES; ++i) totals[place(i)] += std::fabs(numbers[at + i]);
    for (; at < count; ++at) totals[0] += std::fabs(numbers[at]);
    return std::accumulate(totals.begin(), totals.end(), 0.0);
}

// The sum of the sizes of differences.
PARTWISE_CLONES double total_apart(const double* first, const double* second, int64_t count) {
    std::array<double, LANES> totals{};
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES)
        for (int64_t i = 0; i < LANES; ++i) totals[place(i)] += std::fabs(first[at + i] - second[at + i]);
    for (; at < count; ++at) totals[0] += std::fabs(first[at] - second[at]);
    return std::accumulate(totals.begin(), totals.end(), 0.0);
}

PARTWISE_CLONES void add_to(double* sums, const double* numbers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) sums[i] += numbers[i];
}

// Writes rounded sums of four values, and adds the largest of their errors.
PARTWISE_CLONES void fill_table(const double* values, int16_t* table, Block& errors) {
    Block largest{};
    for (int64_t way = 0; way < WAYS / 2; ++way) {
        const double a = way & 1 ? 1 : -1, b = way & 2 ? 1 : -1, c = way & 4 ? 1 : -1;
        int16_t *const sums = table + way * BLOCK, *const opposite = table + (WAYS - 1 - way) * BLOCK;
        for (std::size_t lane = 0; lane < BLOCK; ++lane) {
            const double* const of_lane = values + lane;
            const double sum = a * of_lane[0] + b * of_lane[BLOCK] + c * of_lane[2 * BLOCK] - of_lane[3 * BLOCK];
            const auto nearest = static_cast<int32_t>(sum + (sum < 0 ? -0.5 : 0.5));
            const double error = std::fabs(sum - nearest);
            largest[lane] = error > largest[lane] ? error : largest[lane];
            sums[lane] = static_cast<int16_t>(nearest);
            opposite[lane] = static_cast<int16_t>(-nearest);
        }
    }
    for (std::size_t lane = 0; lane < BLOCK; ++lane) errors[lane] += largest[lane];
}

// Adds the sums of four groups, in loops that compilers make into vector instructions.
PARTWISE_CLONES void add(const std::array<const uint8_t*, AT_ONCE>& ways, const int16_t* tables, int64_t trials, int16_t* sums) {
    const uint8_t *const a = ways[0], *const b = ways[1], *const c = ways[2], *const d = ways[3];
    const auto lower = [tables](int64_t i, int way) { return tables + (2 * i * WAYS + way % WAYS) * BLOCK; };
    const auto upper = [tables](int64_t i, int way) { return tables + ((2 * i + 1) * WAYS + way / WAYS) * BLOCK; };
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

// Finds the smallest sum of each trial, which is that of a block of columns or of those before.
PARTWISE_CLONES void find_least(const int16_t* sums, int64_t trials, int16_t* least) {
    for (int64_t trial = 0; trial < trials; ++trial, sums += BLOCK) {
        int16_t low = least[trial];
        for (int64_t i = 0; i < BLOCK; ++i) low = std::min(low, sums[i]);
        least[trial] = low;
    }
}

// Marks the sums that are far enough from the smallest of their trial.
PARTWISE_CLONES void mark(const int16_t* sums, const int16_t* nearest, int64_t trials, const int16_t* least, uint8_t* marks) {
    for (int64_t trial = 0; trial < trials; ++trial, sums += BLOCK, marks += BLOCK)
        for (int64_t i = 0; i < BLOCK; ++i) marks[i] = sums[i] >= static_cast<int16_t>(least[trial] + nearest[i]);
}

}  // namespace

RoundedSums::RoundedSums(const PackedSigns& signs, RealView values)
    : signs_(signs),
      columns_(signs.queries ? values.size / signs.queries : 0),
      blocks_((columns_ + BLOCK - 1) / BLOCK),
      fours_((signs.groups() + AT_ONCE - 1) / AT_ONCE * AT_ONCE * 2) {
    if (columns_ < FEWEST_COLUMNS || signs.queries > MOST_QUERIES) return;
    const int64_t queries = signs.queries;
    means_.resize(place(queries));
    for (int64_t column = 0; column < columns_; ++column) add_to(means_.data(), values.data + column * queries, queries);
    for (double& mean : means_) mean /= static_cast<double>(columns_);
    const double of_means = total_size(means_.data(), queries);
    double largest = 0;
    for (int64_t column = 0; column < columns_; ++column) {
        const double* const of_column = values.data + column * queries;
        const double total = total_size(of_column, queries), apart = total_apart(of_column, means_.data(), queries);
        if (!(total + of_means < LARGEST_TOTAL)) return;  // too large, or not a number
        largest = std::max(largest, apart);
        errors_.push_back(total + of_means);
    }
    // rounding adds up to half a unit to the size of each sum of four
    if (largest >= SMALLEST_TOTAL) unit_ = largest / (LARGEST_ROUNDED - static_cast<double>(fours_) / 2);
    if (!is_possible()) return;
    // sums of doubles are not exact either, nor are values without means
    const double rounding = (static_cast<double>(queries) / 8 + 16) * std::numeric_limits<double>::epsilon() / unit_;
    for (double& error : errors_) {
        error *= rounding;
        if (!(error < LARGEST_ROUNDED)) unit_ = 0;  // values that differ only by rounding
    }
    if (!is_possible()) return;
    fill_tables(values);
}

double RoundedSums::least(int64_t first, int64_t second, double reached) const {
    // one unit is far more than the rounding errors of what is computed here
    return std::floor(reached / unit_ - errors_[place(first)] - errors_[place(second)] - 1);
}

void RoundedSums::require(int64_t column, int64_t least) {
    int16_t& nearest = nearest_.data()[column];
    nearest = static_cast<int16_t>(std::clamp<int64_t>(least, 0, nearest));
}

const std::vector<RoundedSums::Marked>& RoundedSums::write(int64_t tile) {
    const int64_t begin = tile * TILE, trials = std::min(TILE, signs_.trials() - begin);
    std::fill_n(sums_.data(), blocks_ * TILE * BLOCK, int16_t{0});
    least_.fill(0);  // sums of columns that are missing are zeros, too
    for (int64_t block = 0; block < blocks_; ++block) {
        int16_t* const sums = sums_.data() + block * TILE * BLOCK;
        for (int64_t group = 0; group < signs_.groups(); group += AT_ONCE) {
            std::array<const uint8_t*, AT_ONCE> ways;
            for (int64_t i = 0; i < AT_ONCE; ++i)  // any if the group is missing, because its table has only zeros
                ways[place(i)] = signs_.indices.data + (group + i < signs_.groups() ? group + i : 0) * signs_.trials() + begin;
            add(ways, tables_.data() + (block * fours_ + 2 * group) * WAYS * BLOCK, trials, sums);
        }
        find_least(sums, trials, least_.data());
    }
    for (int64_t at = 0; at < blocks_ * TILE * BLOCK; at += TILE * BLOCK)
        mark(sums_.data() + at, nearest_.data() + at / TILE, trials, least_.data(), marks_.data() + at);
    collect_marked(trials);
    return marked_;
}

// Collects what is marked in the first trials of the tile; marks of the others are those of an earlier tile.
void RoundedSums::collect_marked(int64_t trials) {
    const auto marks_at = [this](int64_t at) { return eight_bytes(reinterpret_cast<const char*>(marks_.data()) + at); };
    marked_.clear();
    for (int64_t block = 0; block < blocks_; ++block) {
        const int64_t begin = block * TILE * BLOCK;
        std::size_t count = 0;
        for (int64_t at = begin; at < begin + trials * BLOCK; at += 8) {  // without a branch, which would often be predicted wrongly
            words_[count] = at;
            count += marks_at(at) != 0;
        }
        for (std::size_t i = 0; i < count; ++i)
            for (uint64_t marks = marks_at(words_[i]); marks; marks &= marks - 1) {
                const int64_t at = words_[i] - begin + lowest_bit(marks) / 8;
                marked_.push_back({at / BLOCK, block * BLOCK + at % BLOCK});
            }
    }
}

// For each block of columns, and each four queries, the sums of their values for each way to choose the signs.
void RoundedSums::fill_tables(RealView values) {
    const int64_t queries = signs_.queries;
    tables_ = AlignedNumbers<int16_t>(place(blocks_ * fours_ * WAYS * BLOCK));
    sums_ = AlignedNumbers<int16_t>(place(blocks_ * TILE * BLOCK));
    marks_ = AlignedNumbers<uint8_t>(place(blocks_ * TILE * BLOCK));
    words_.resize(place(TILE * BLOCK / 8));
    nearest_ = AlignedNumbers<int16_t>(place(blocks_ * BLOCK));
    std::fill_n(nearest_.data(), blocks_ * BLOCK, std::numeric_limits<int16_t>::max());
    std::vector<double> in_units(place(fours_ * 4 * BLOCK));
    for (int64_t block = 0; block < blocks_; ++block) {
        const int64_t columns = std::min(BLOCK, columns_ - block * BLOCK);
        std::fill(in_units.begin(), in_units.end(), 0.0);
        for (int64_t lane = 0; lane < columns; ++lane) {
            const double* const of_column = values.data + (block * BLOCK + lane) * queries;
            for (int64_t query = 0; query < queries; ++query)
                in_units[place(query * BLOCK + lane)] = (of_column[query] - means_[place(query)]) / unit_;
        }
        Block errors{};
        for (int64_t four = 0; four < fours_; ++four)
            fill_table(&in_units[place(four * 4 * BLOCK)], tables_.data() + (block * fours_ + four) * WAYS * BLOCK, errors);
        for (int64_t lane = 0; lane < columns; ++lane) errors_[place(block * BLOCK + lane)] += errors[place(lane)];
    }
}

}  // namespace partwise
