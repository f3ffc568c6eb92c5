#include "differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sums.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

PARTWISE_CLONES void subtract(const double* first, const double* second, int64_t count, double equal, double* differences) {
    for (int64_t i = 0; i < count; ++i) {
        const double difference = first[i] - second[i];
        differences[i] = std::fabs(difference) <= equal ? 0.0 : difference;
    }
}

// What is needed of a row besides its sum.
struct Row {
    double least, most;
    int64_t positive, zero;
};

PARTWISE_CLONES Row look_at(const double* numbers, int64_t count, double* sizes) {
    double least = numbers[0], most = numbers[0];
    int64_t positive = 0, zero = 0;
    for (int64_t i = 0; i < count; ++i) {
        sizes[i] = std::fabs(numbers[i]);
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
        positive += numbers[i] > 0;
        zero += numbers[i] == 0;
    }
    return {least, most, positive, zero};
}

PARTWISE_CLONES void square_distances(const double* numbers, int64_t count, double mean, double* squares) {
    for (int64_t i = 0; i < count; ++i) {
        const double distance = numbers[i] - mean;
        squares[i] = distance * distance;
    }
}

PARTWISE_CLONES void subtract_again(const double* first, const double* second, const double* differences, int64_t count,
                                    double* changed) {
    for (int64_t i = 0; i < count; ++i) changed[i] = std::fabs((first[i] - second[i]) - differences[i]);
}

}  // namespace

RowSums row_sums(RealView numbers, int64_t columns) {
    const int64_t rows = columns > 0 ? numbers.size / columns : 0;
    const auto count = static_cast<std::size_t>(columns), size = static_cast<std::size_t>(rows);
    RowSums sums{std::vector<double>(size), std::vector<double>(size), std::vector<double>(size), std::vector<double>(size),
                 Ints(size), Ints(size)};
    std::vector<double> of_row(count);
    for (std::size_t row = 0; row < size; ++row) {
        const double* const of = numbers.data + static_cast<int64_t>(row) * columns;
        const Row looked = look_at(of, columns, of_row.data());
        sums.total[row] = summed(of, count);
        sums.size[row] = summed(of_row.data(), count);
        sums.range[row] = looked.most - looked.least;
        sums.positive[row] = looked.positive;
        sums.zero[row] = looked.zero;
        sums.spread[row] = std::numeric_limits<double>::quiet_NaN();
        if (count < 2) continue;
        square_distances(of, columns, sums.total[row] / static_cast<double>(count), of_row.data());
        sums.spread[row] = std::sqrt(summed(of_row.data(), count) / static_cast<double>(count - 1));
    }
    return sums;
}

std::vector<double> changed_sums(RealView values, int64_t queries, IntView first, IntView second, RealView differences) {
    std::vector<double> sums(static_cast<std::size_t>(first.size)), changed(static_cast<std::size_t>(queries));
    for (int64_t pair = 0; pair < first.size; ++pair) {
        subtract_again(values.data + first[pair] * queries, values.data + second[pair] * queries,
                       differences.data + pair * queries, queries, changed.data());
        sums[static_cast<std::size_t>(pair)] = summed(changed.data(), changed.size());
    }
    return sums;
}

void write_differences(RealView values, int64_t queries, IntView first, IntView second, double equal, double* differences) {
    for (int64_t pair = 0; pair < first.size; ++pair, differences += queries)
        subtract(values.data + first[pair] * queries, values.data + second[pair] * queries, queries, equal, differences);
}

}  // namespace partwise
