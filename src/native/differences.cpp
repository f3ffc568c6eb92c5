#include "differences.hpp"

#include <cmath>

#include "vectors.hpp"

namespace partwise {

namespace {

PARTWISE_CLONES void subtract(const double* first, const double* second, int64_t count, double equal, double* differences) {
    for (int64_t i = 0; i < count; ++i) {
        const double difference = first[i] - second[i];
        differences[i] = std::fabs(difference) <= equal ? 0.0 : difference;
    }
}

}  // namespace

void write_differences(RealView values, int64_t queries, IntView first, IntView second, double equal, double* differences) {
    for (int64_t pair = 0; pair < first.size; ++pair, differences += queries)
        subtract(values.data + first[pair] * queries, values.data + second[pair] * queries, queries, equal, differences);
}

}  // namespace partwise
