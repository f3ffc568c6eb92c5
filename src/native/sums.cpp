#include "sums.hpp"

#include "vectors.hpp"

namespace partwise {

namespace {

constexpr std::size_t LANES = 8;

// Sums side by side: what rounding takes from each of them, and how much that is at most.
struct Totals {
    std::array<double, LANES> sum{}, error{}, size_of_errors{}, size{};
};

// Adds a number to a sum; the error is exact, whichever of the two is larger.
inline void add(double value, double& sum, double& error, double& size_of_errors) {
    const double next = sum + value, added = next - sum;
    const double lost = (sum - (next - added)) + (value - added);
    sum = next;
    error += lost;
    size_of_errors += std::fabs(lost);
}

PARTWISE_CLONES void add_all(const double* values, std::size_t count, Totals& totals) {
    std::array<double, LANES> sum{}, error{}, size_of_errors{}, size{};  // of its own, so that they stay in registers
    std::size_t at = 0;
    for (; at + LANES <= count; at += LANES)
        for (std::size_t i = 0; i < LANES; ++i) {
            add(values[at + i], sum[i], error[i], size_of_errors[i]);
            size[i] += std::fabs(values[at + i]);
        }
    for (; at < count; ++at) {
        add(values[at], sum[0], error[0], size_of_errors[0]);
        size[0] += std::fabs(values[at]);
    }
    totals = {sum, error, size_of_errors, size};
}

// The sum, rounded once; none if the errors of its steps do not tell which double is nearest.
std::optional<double> certain_sum(const double* values, std::size_t count) {
    Totals totals;
    add_all(values, count, totals);
    double sum = 0, error = 0, size_of_errors = 0, size = 0;
    for (std::size_t i = 0; i < LANES; ++i) {
        add(totals.sum[i], sum, error, size_of_errors);
        error += totals.error[i];
        size_of_errors += totals.size_of_errors[i];
        size += totals.size[i];
    }
    if (!(size < ExactSum::TOO_LARGE)) return std::nullopt;
    // The sum of the errors is itself rounded at most count + 16 times, by a half of 2^-52 of their sizes each time.
    double left = 0, none = 0;
    add(error, sum, left, none);
    const double rounding = static_cast<double>(count + 32) * 0x1p-52;
    const double most = (size_of_errors + std::fabs(left)) * rounding;
    const bool is_certain = sum + (left + most) == sum && sum + (left - most) == sum;
    return is_certain ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<double> exact_sum(const double* values, std::size_t count) {
    if (const auto sum = certain_sum(values, count)) return sum;
    ExactSum sum;
    for (std::size_t i = 0; i < count; ++i)
        if (!sum.add(values[i])) return std::nullopt;
    return sum.rounded();
}

}  // namespace partwise
