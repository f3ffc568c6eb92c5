#include "resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "vectors.hpp"

namespace partwise {

namespace {

constexpr std::size_t SIDES = 4;  // counters, so that none waits for another

std::size_t place(int64_t at) { return static_cast<std::size_t>(at); }

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
