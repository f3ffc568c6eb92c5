#include "curves.hpp"

#include <algorithm>

namespace partwise {

namespace {

// Running totals of a query: characters found, found again and read. The caller ensures that the sums fit.
struct Running {
    const TextRows& rows;
    double alpha;
    int64_t found = 0, seen = 0, read = 0;

    void add(int64_t row) {
        found += rows.found[row];
        seen += rows.found[row] - rows.fresh[row];
        read += rows.size[row];
    }

    double precision() const {
        const auto whole = static_cast<double>(read);
        return whole != 0 ? (static_cast<double>(found) - alpha * static_cast<double>(seen)) / whole : 0.0;
    }
};

template <class Number>
Number exact(int64_t value) {
    return Number(static_cast<uint64_t>(value));
}

template <class Number>
Number exact(const Natural& value);

template <>
int64_t exact(const Natural& value) {
    return static_cast<int64_t>(value.low());
}

template <>
Natural exact(const Natural& value) {
    return value;
}

// `Number` must hold all products of a sum of characters, a term of the ratio and a term of a level.
template <class Number>
void best_by(const TextRows& rows, double alpha, const Ratio& ratio, IntView relevant, const std::vector<Ratio>& levels,
             double* best) {
    const Number p = exact<Number>(ratio.numerator), q = exact<Number>(ratio.denominator);
    std::vector<Number> numerator, denominator;
    for (const Ratio& level : levels) {
        numerator.push_back(exact<Number>(level.numerator));
        denominator.push_back(exact<Number>(level.denominator));
    }
    std::vector<double> precision;
    struct Step {
        std::size_t rank, levels;  // the first rank at which this many levels are reached
    };
    std::vector<Step> steps;
    for (int64_t query = 0; query + 1 < rows.offsets.size; ++query, best += levels.size()) {
        const int64_t low = rows.offsets[query], high = rows.offsets[query + 1];
        const Number whole = exact<Number>(relevant[query]) * q;
        Running running{rows, alpha};
        precision.resize(static_cast<std::size_t>(high - low));
        steps.clear();
        std::size_t reached = 0;
        for (int64_t row = low; row < high; ++row) {
            const auto at = static_cast<std::size_t>(row - low);
            running.add(row);
            precision[at] = running.precision();
            if (reached == levels.size() || (row > low && rows.found[row] == 0)) continue;  // no further level can be reached
            const Number gained = exact<Number>(running.found) * q - exact<Number>(running.seen) * p;
            const std::size_t before = reached;
            for (std::size_t end = levels.size(); reached < end;) {  // levels ascend
                const std::size_t middle = reached + (end - reached) / 2;
                if (gained * denominator[middle] < whole * numerator[middle])
                    end = middle;
                else
                    reached = middle + 1;
            }
            if (reached > before) steps.push_back({at, reached});
        }
        std::fill(best + reached, best + levels.size(), 0.0);
        double highest = 0;
        std::size_t row = precision.size();
        for (std::size_t step = steps.size(); step-- > 0;) {
            while (row > steps[step].rank) highest = std::max(highest, precision[--row]);
            std::fill(best + (step ? steps[step - 1].levels : 0), best + steps[step].levels, highest);
        }
    }
}

}  // namespace

void gains_at(const TextRows& rows, int64_t cutoff, double alpha, double* gains) {
    for (int64_t query = 0; query + 1 < rows.offsets.size; ++query) {
        const int64_t first = rows.offsets[query], count = std::min(cutoff, rows.offsets[query + 1] - first);
        int64_t found = 0, seen = 0;
        for (int64_t row = first; row < first + count; ++row) {
            found = plus(found, rows.found[row]);
            seen = plus(seen, minus(rows.found[row], rows.fresh[row]));
        }
        gains[query] = static_cast<double>(found) - alpha * static_cast<double>(seen);
    }
}

void precision_by_rank(const TextRows& rows, double alpha, double* precision) {
    for (int64_t query = 0; query + 1 < rows.offsets.size; ++query) {
        Running running{rows, alpha};
        for (int64_t row = rows.offsets[query]; row < rows.offsets[query + 1]; ++row) {
            running.add(row);
            precision[row] = running.precision();
        }
    }
}

void best_precision(const TextRows& rows, double alpha, const Ratio& ratio, IntView relevant,
                    const std::vector<Ratio>& levels, double* best) {
    uint64_t largest = 0;
    for (int64_t row = 0; row < rows.found.size; ++row) largest += static_cast<uint64_t>(rows.found[row]);
    for (int64_t query = 0; query < relevant.size; ++query)
        largest = std::max(largest, static_cast<uint64_t>(relevant[query]));
    Natural level(1);
    for (const Ratio& each : levels)
        for (const Natural* term : {&each.numerator, &each.denominator})
            if (level < *term) level = *term;
    const Natural bound = Natural(largest) * std::max(ratio.numerator, ratio.denominator) * level;
    if (bound < Natural(uint64_t{1} << 62))
        best_by<int64_t>(rows, alpha, ratio, relevant, levels, best);
    else
        best_by<Natural>(rows, alpha, ratio, relevant, levels, best);
}

}  // namespace partwise
