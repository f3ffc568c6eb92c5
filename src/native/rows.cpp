#include "rows.hpp"

namespace partwise {

bool ties_in_order(IntView topic, IntView rank, int64_t* tie) {
    int64_t group = 0;
    for (int64_t row = 0; row < topic.size; ++row) {
        if (rank[row] < 0) return false;
        if (row > 0) {
            const bool same = topic[row] == topic[row - 1];
            if (topic[row] < topic[row - 1] || (same && rank[row] < rank[row - 1])) return false;
            group += !same || rank[row] != rank[row - 1];
        }
        tie[row] = group;
    }
    return true;
}

void pairs_of(IntView topic, IntView doc, IntView pair_offsets, IntView pair_doc, int64_t docs, int64_t* pair) {
    Ints known(static_cast<std::size_t>(docs), -1);  // the pair of each document for the topic at hand
    int64_t current = -1;
    const auto mark = [&](bool present) {
        if (current < 0) return;
        for (int64_t i = pair_offsets[current]; i < pair_offsets[current + 1]; ++i)
            known[static_cast<std::size_t>(pair_doc[i])] = present ? i : -1;
    };
    for (int64_t row = 0; row < topic.size; ++row) {
        if (topic[row] != current) {
            mark(false);
            current = topic[row];
            mark(true);
        }
        pair[row] = doc[row] < docs ? known[static_cast<std::size_t>(doc[row])] : -1;
    }
}

}  // namespace partwise
