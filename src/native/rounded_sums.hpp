// Sums of columns of values with random signs, rounded to 16 bits.
#pragma once

#include <algorithm>

#include "aligned.hpp"
#include "signs.hpp"

namespace partwise {

// The sums of columns of values that are rounded to whole units, for one tile of trials after the other. The unit is so large
// that neither a sum nor the difference of two sums has more than 16 bits, whatever the signs; a quarter of the bytes of the
// sums themselves are enough to find the few trials in which a pair of columns may be as far apart as it is in the data. The
// mean of all columns is subtracted first: no difference changes, but sums are smaller, and so are units.
class RoundedSums {
  public:
    static constexpr int64_t TILE = 128;           // trials whose sums are compared together
    static constexpr int64_t FEWEST_COLUMNS = 17;  // with fewer, the sums themselves take as long

    // Column c has values[c * queries : (c + 1) * queries].
    RoundedSums(const PackedSigns& signs, RealView values);

    // Whether there is a unit: all values are finite, neither too large nor too small, and so many that rounding saves time.
    bool is_possible() const { return unit_ > 0; }

    // The smallest difference of rounded sums, in units, at which that of the sums themselves may be `reached`.
    double least(int64_t first, int64_t second, double reached) const;

    // Computes the sums of a tile of trials.
    void write(int64_t tile);

    // By how much two sums of the tile differ at most.
    int most(int64_t first, int64_t second, bool is_size) const {
        const int apart = most_.data()[first] - least_.data()[second], other = most_.data()[second] - least_.data()[first];
        return is_size ? std::max(apart, other) : apart;
    }

    // Marks the trials of the tile in which two sums are at least so far apart, if there are any.
    bool mark(int64_t first, int64_t second, int16_t least, bool is_size, int16_t* marks);

  private:
    void fill_tables(RealView values);
    const int16_t* of(int64_t column);

    PackedSigns signs_;
    int64_t columns_, blocks_;
    int64_t fours_;  // tables for four queries each, with those of groups that are missing
    double unit_ = 0;
    std::vector<double> means_;    // by query, of all columns
    std::vector<double> errors_;   // by column, how far a rounded sum can be from the sum, in units
    std::vector<bool> is_column_;  // whether the sums of a column are in by_column_
    // of the tile: sums by block, trial and column, and by column and trial, and the largest and smallest by column
    AlignedNumbers<int16_t> tables_{0}, sums_{0}, by_column_{0}, most_{0}, least_{0};
};

}  // namespace partwise
