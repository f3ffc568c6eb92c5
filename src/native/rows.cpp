#include "rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "names.hpp"
#include "text.hpp"

namespace partwise {

bool ties_in_order(IntView query, IntView rank, int64_t* tie) {
    int64_t group = 0;
    for (int64_t row = 0; row < query.size; ++row) {
        if (rank[row] < 0) return false;
        if (row > 0) {
            const bool same = query[row] == query[row - 1];
            if (query[row] < query[row - 1] || (same && rank[row] < rank[row - 1])) return false;
            group += !same || rank[row] != rank[row - 1];
        }
        tie[row] = group;
    }
    return true;
}

void pairs_of(IntView query, IntView doc, IntView pair_offsets, IntView pair_doc, int64_t docs, int64_t* pair) {
    for (int64_t row = 0; row < query.size; ++row) {
        pair[row] = -1;
        if (doc[row] >= docs) continue;
        const int64_t *first = pair_doc.data + pair_offsets[query[row]], *last = pair_doc.data + pair_offsets[query[row] + 1];
        const int64_t* judged = std::lower_bound(first, last, doc[row]);
        if (judged != last && *judged == doc[row]) pair[row] = judged - pair_doc.data;
    }
}

JudgedText judged_text(IntView offsets, IntView pair, IntView span_offsets, IntView start, IntView end, int64_t depth,
                       int64_t unknown) {
    JudgedText sums;
    for (int64_t query = 0; query + 1 < offsets.size; ++query) {
        const int64_t first = offsets[query], last = std::min(offsets[query + 1], first + depth);
        int64_t total = 0, judged = 0;
        for (int64_t row = first; row < last; ++row) {
            sums.known = sums.known && span_offsets[row] < span_offsets[row + 1];
            for (int64_t span = span_offsets[row]; span < span_offsets[row + 1]; ++span) {
                sums.known = sums.known && end[span] != unknown;
                const int64_t size = minus(end[span], start[span]);
                total = plus(total, size);
                if (pair[row] >= 0) judged = plus(judged, size);
            }
        }
        if (!sums.known) return sums;
        sums.lists += first < last;
        if (total > 0)
            sums.billionths += static_cast<int64_t>(std::nearbyint(static_cast<double>(judged) / static_cast<double>(total) * 1e9));
    }
    return sums;
}

void segment_sums(IntView values, IntView start, IntView end, int64_t* sums) {
    for (int64_t i = 0; i < start.size; ++i) {
        sums[i] = 0;
        for (int64_t at = start[i]; at < end[i]; ++at) sums[i] = plus(sums[i], values[at]);
    }
}

void first_sums(IntView values, IntView offsets, int64_t cutoff, int64_t* sums) {
    for (int64_t query = 0; query + 1 < offsets.size; ++query) {
        int64_t sum = 0;
        const int64_t first = offsets[query], rows = std::min(cutoff, offsets[query + 1] - first);
        for (int64_t row = 0; row < rows; ++row) sum = plus(sum, values[first + row]);
        sums[query] = sum;
    }
}

void query_offsets(IntView query, int64_t count, int64_t* offsets) {
    int64_t row = 0;
    for (int64_t number = 0; number < count; ++number) {
        while (row < query.size && query[row] < number) ++row;
        offsets[number] = row;
    }
    while (row < query.size && query[row] < count) ++row;
    offsets[count] = row;
}

QueryRows rows_by_query(IntView query) {
    QueryRows rows;
    for (int64_t row = 0; row < query.size; ++row) {
        if (row > 0 && query[row] == query[row - 1]) continue;
        rows.queries.push_back(query[row]);
        rows.offsets.push_back(row);
    }
    rows.offsets.push_back(query.size);
    return rows;
}

SpanCounts span_counts(IntView start, IntView end, int64_t unknown) {
    SpanCounts counts;
    for (int64_t i = 0; i < start.size; ++i) {
        counts.unknown += end[i] == unknown;
        counts.empty += end[i] == start[i];
    }
    return counts;
}

namespace {

uint64_t mixed(uint64_t key) {
    key *= 0x9E3779B97F4A7C15u;
    return key ^ (key >> 32);
}

uint64_t capacity_for(int64_t count) {
    uint64_t capacity = 8;
    while (capacity < 2 * static_cast<uint64_t>(count)) capacity *= 2;
    return capacity;
}

}  // namespace

std::string_view Tokens::at(int64_t row) const {
    const char* begin = text.data() + start[row];
    if (end.size > 0) return {begin, static_cast<std::size_t>(end[row] - start[row])};
    const char* stop = begin;
    while (stop < text.data() + text.size() && !is_blank(*stop)) ++stop;
    return {begin, static_cast<std::size_t>(stop - begin)};
}

bool Tokens::same(int64_t a, int64_t b) const { return key[a] == key[b] && (!is_hash(key[a]) || at(a) == at(b)); }

JudgedNames::JudgedNames(std::string_view text, IntView start, IntView end, IntView pair_offsets, IntView pair_doc)
    : text_(text),
      start_(start.data, start.data + start.size),
      end_(end.data, end.data + end.size),
      pair_doc_(pair_doc.data, pair_doc.data + pair_doc.size) {
    table_.push_back(0);
    for (int64_t query = 0; query + 1 < pair_offsets.size; ++query) {
        const uint64_t capacity = capacity_for(4 * (pair_offsets[query + 1] - pair_offsets[query]));  // most lookups fail
        table_.push_back(table_.back() + static_cast<int64_t>(capacity));
    }
    slots_.assign(static_cast<std::size_t>(table_.back()), Slot{0, -1});
    filter_.assign(BITS * static_cast<uint64_t>(table_.back()) / 64 + 1, 0);
    for (int64_t query = 0; query + 1 < pair_offsets.size; ++query) {
        const auto base = static_cast<std::size_t>(table_[static_cast<std::size_t>(query)]);
        const uint64_t capacity = static_cast<uint64_t>(table_[static_cast<std::size_t>(query) + 1]) - base;
        for (int64_t pair = pair_offsets[query]; pair < pair_offsets[query + 1]; ++pair) {
            const auto doc = static_cast<std::size_t>(pair_doc[pair]);
            const std::string_view name = text.substr(static_cast<std::size_t>(start_[doc]),
                                                      static_cast<std::size_t>(end_[doc] - start_[doc]));
            if (!is_token(name)) continue;
            const uint64_t key = token_key(name.data(), static_cast<int64_t>(name.size()), false);
            uint64_t at = mixed(key) & (capacity - 1);
            while (slots_[base + at].pair >= 0) at = (at + 1) & (capacity - 1);
            slots_[base + at] = Slot{key, pair};
            const uint64_t bit = BITS * base + (mixed(key) & (BITS * capacity - 1));
            filter_[bit / 64] |= uint64_t{1} << (bit % 64);
        }
    }
}

void JudgedNames::find(const Tokens& tokens, IntView rows, IntView query, int64_t* pair) const {
    int64_t current = -1;
    const Slot* table = nullptr;
    uint64_t base = 0, mask = 0;
    for (int64_t i = 0; i < query.size; ++i) {
        const int64_t row = rows[i];
        const uint64_t key = tokens.key[row], place = mixed(key);
        if (query[i] != current) {
            current = query[i];
            const auto here = static_cast<std::size_t>(current);
            table = slots_.data() + table_[here];
            base = BITS * static_cast<uint64_t>(table_[here]);
            mask = static_cast<uint64_t>(table_[here + 1] - table_[here]) - 1;
        }
        pair[i] = -1;
        const uint64_t bit = base + (place & (BITS * (mask + 1) - 1));
        if (!(filter_[bit / 64] >> (bit % 64) & 1)) continue;
        for (uint64_t at = place & mask; table[at].pair >= 0; at = (at + 1) & mask) {
            if (table[at].key != key) continue;
            if (is_hash(key)) {
                const auto doc = static_cast<std::size_t>(pair_doc_[static_cast<std::size_t>(table[at].pair)]);
                const auto size = static_cast<std::size_t>(end_[doc] - start_[doc]);
                if (tokens.at(row) != std::string_view(text_.data() + start_[doc], size)) continue;
            }
            pair[i] = table[at].pair;
            break;
        }
    }
}

namespace {

template <class Key, class Same>
Firsts firsts_by(int64_t rows, IntView offsets, const Key& key, const Same& same) {
    Firsts firsts;
    firsts.of_row.resize(static_cast<std::size_t>(rows));
    firsts.first.reserve(static_cast<std::size_t>(rows));
    std::vector<int32_t> slots;  // 1 + number within the query; 0: empty
    constexpr int64_t few = 16;
    std::array<uint64_t, few> keys;
    for (int64_t query = 0; query + 1 < offsets.size; ++query) {
        const auto base = static_cast<int64_t>(firsts.first.size());
        if (offsets[query + 1] - offsets[query] <= few) {  // comparing all of them takes less time than a table
            const int64_t low = offsets[query];
            for (int64_t i = low; i < offsets[query + 1]; ++i) {
                const uint64_t own = key(i);
                std::size_t at = static_cast<std::size_t>(i - low);
                keys[at] = own;
                // the first row of the same key, without branches that depend on the rows
                for (std::size_t other = at; other-- > 0;) at = keys[other] == own ? other : at;
                int64_t earlier = low + static_cast<int64_t>(at);
                while (earlier < i && !(key(earlier) == own && same(earlier, i))) ++earlier;
                if (earlier == i) {
                    firsts.of_row[static_cast<std::size_t>(i)] = static_cast<int64_t>(firsts.first.size());
                    firsts.first.push_back(i);
                } else {
                    firsts.of_row[static_cast<std::size_t>(i)] = firsts.of_row[static_cast<std::size_t>(earlier)];
                }
            }
            continue;
        }
        const uint64_t capacity = capacity_for(offsets[query + 1] - offsets[query]);
        slots.assign(capacity, 0);
        for (int64_t i = offsets[query]; i < offsets[query + 1]; ++i) {
            uint64_t at = mixed(key(i)) & (capacity - 1);
            while (slots[at] && !same(firsts.first[static_cast<std::size_t>(base + slots[at] - 1)], i))
                at = (at + 1) & (capacity - 1);
            if (!slots[at]) {
                firsts.first.push_back(i);
                slots[at] = static_cast<int32_t>(static_cast<int64_t>(firsts.first.size()) - base);
            }
            firsts.of_row[static_cast<std::size_t>(i)] = base + slots[at] - 1;
        }
    }
    return firsts;
}

}  // namespace

Firsts documents_of(const Tokens& tokens, IntView rows, IntView offsets) {
    return firsts_by(
        rows.size, offsets, [&](int64_t i) { return tokens.key[rows[i]]; },
        [&](int64_t a, int64_t b) { return tokens.same(rows[a], rows[b]); });
}

Firsts first_of_each(IntView code, IntView offsets) {
    return firsts_by(
        code.size, offsets, [&](int64_t i) { return static_cast<uint64_t>(code[i]); },
        [&](int64_t a, int64_t b) { return code[a] == code[b]; });
}

void repeated_tokens(const Tokens& tokens, IntView rows, IntView offsets, IntView span_offsets, IntView start,
                     IntView end, bool* again) {
    repeated_rows_by(
        offsets, span_offsets, start, end, again, [&](int64_t i) { return tokens.key[rows[i]]; },
        [&](int64_t a, int64_t b) { return tokens.same(rows[a], rows[b]); });
}

}  // namespace partwise
