#include "curves.hpp"

#include <algorithm>

namespace partwise {

namespace {

// Runs down a topic: what was found, seen again and read so far. The caller sees to it that sums fit.
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

}  // namespace

void precision_by_rank(const TextRows& rows, double alpha, double* precision) {
    for (int64_t topic = 0; topic + 1 < rows.offsets.size; ++topic) {
        Running running{rows, alpha};
        for (int64_t row = rows.offsets[topic]; row < rows.offsets[topic + 1]; ++row) {
            running.add(row);
            precision[row] = running.precision();
        }
    }
}

void best_precision(const TextRows& rows, double alpha, int64_t p, int64_t q, IntView relevant, IntView numerator,
                    IntView denominator, double* best) {
    const int64_t levels = numerator.size;
    std::vector<double> precision;
    Ints need(static_cast<std::size_t>(levels)), first(static_cast<std::size_t>(levels));
    for (int64_t topic = 0; topic + 1 < rows.offsets.size; ++topic, best += levels) {
        const int64_t low = rows.offsets[topic], high = rows.offsets[topic + 1];
        for (int64_t level = 0; level < levels; ++level) {
            const int64_t part = relevant[topic] * q * numerator[level];
            need[static_cast<std::size_t>(level)] = part / denominator[level] + (part % denominator[level] != 0);
        }
        Running running{rows, alpha};
        precision.resize(static_cast<std::size_t>(high - low));
        int64_t reached = 0;
        for (int64_t row = low; row < high; ++row) {
            running.add(row);
            precision[static_cast<std::size_t>(row - low)] = running.precision();
            const int64_t gained = running.found * q - running.seen * p;
            while (reached < levels && gained >= need[static_cast<std::size_t>(reached)])
                first[static_cast<std::size_t>(reached++)] = row - low;
        }
        std::fill(best + reached, best + levels, 0.0);
        double highest = 0;
        int64_t row = high - low;
        for (int64_t level = reached - 1; level >= 0; --level) {
            while (row > first[static_cast<std::size_t>(level)])
                highest = std::max(highest, precision[static_cast<std::size_t>(--row)]);
            best[level] = highest;
        }
    }
}

}  // namespace partwise
