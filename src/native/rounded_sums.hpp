// Sums of columns of values with random signs, rounded to 16 bits.
#pragma once

#include <array>

#include "aligned.hpp"
#include "signs.hpp"

namespace partwise {

// The sums of columns of values that are rounded to whole units, for one tile of trials after the other. The unit is so large
// that neither a sum nor the difference of two sums has more than 16 bits, whatever the signs; a quarter of the bytes of the
// sums themselves are enough to find the few trials in which a pair of columns may be as far apart as it is in the data. The
// mean of all columns is subtracted first: no difference changes, but sums are smaller, and so are units.
class RoundedSums {
  public:
    static constexpr int64_t TILE = 128;           // trials whose sums are computed together
    static constexpr int64_t BLOCK = 64;           // columns side by side
    static constexpr int64_t FEWEST_COLUMNS = 17;  // with fewer, the sums themselves take as long

    // A column in a trial of the tile.
    struct Marked {
        int64_t trial, column;
    };

    // Column c has values[c * queries : (c + 1) * queries].
    RoundedSums(const PackedSigns& signs, RealView values);

    // Whether there is a unit: all values are finite, neither too large nor too small, and so many that rounding saves time.
    bool is_possible() const { return unit_ > 0; }

    // The smallest difference of rounded sums, in units, at which that of the sums themselves may be `reached`.
    double least(int64_t first, int64_t second, double reached) const;

    // From now on, a sum of the column is marked if it is at least so many units above the smallest sum of its trial; of
    // several numbers that are given for a column, the smallest counts.
    void require(int64_t column, int64_t least);

    // Computes the sums of a tile of trials, and returns those that are marked.
    const std::vector<Marked>& write(int64_t tile);

    // The sums of a trial of the tile; that of a column is at its place.
    const int16_t* of(int64_t trial) const { return sums_.data() + trial * BLOCK; }
    int64_t place_of(int64_t column) const { return column / BLOCK * TILE * BLOCK + column % BLOCK; }

    // The smallest sum of a trial of the tile.
    int smallest(int64_t trial) const { return least_[static_cast<std::size_t>(trial)]; }

  private:
    void fill_tables(RealView values);
    void collect_marked(int64_t trials);

    PackedSigns signs_;
    int64_t columns_, blocks_;
    int64_t fours_;  // tables for four queries each, with those of groups that are missing
    double unit_ = 0;
    std::vector<double> means_;   // by query, of all columns
    std::vector<double> errors_;  // by column, how far a rounded sum can be from the sum, in units
    AlignedNumbers<int16_t> tables_{0};
    AlignedNumbers<int16_t> nearest_{0};  // by column, how far above the smallest sum a marked one is at least
    AlignedNumbers<int16_t> sums_{0};     // of the tile, by block, trial and column
    AlignedNumbers<uint8_t> marks_{0};    // of these sums
    std::array<int16_t, TILE> least_;     // the smallest sum of each trial
    std::vector<int64_t> words_;          // where some of eight marks are set
    std::vector<Marked> marked_;
};

}  // namespace partwise
