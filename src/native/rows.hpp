// Rows of a run: whether they are sorted, and which judged pair each of them is.
#pragma once

#include <string>
#include <string_view>

#include "spans.hpp"

namespace partwise {

// Writes the tie group of each row if rows are sorted by query and rank and no rank is missing (negative); returns false
// otherwise.
bool ties_in_order(IntView query, IntView rank, int64_t* tie);

// The numbers of neighbours i - 1 and i among offsets[t]:offsets[t+1] that do not tie and whose values, column[rows[i]], fall
// and rise.
struct Steps {
    int64_t falls = 0, rises = 0;
};
template <class T>
Steps steps_of(View<T> column, IntView rows, IntView tie, IntView offsets) {
    Steps steps;
    for (int64_t query = 0; query + 1 < offsets.size; ++query) {
        for (int64_t i = offsets[query] + 1; i < offsets[query + 1]; ++i) {
            const T before = column[rows[i - 1]], here = column[rows[i]];
            const bool differ = tie[i] != tie[i - 1];
            steps.falls += differ & (here < before);
            steps.rises += differ & (here > before);
        }
    }
    return steps;
}

// The judged pair of each row: the documents judged for query t are pair_doc[pair_offsets[t]:pair_offsets[t+1]]; -1 if the
// document is not judged for the query. Documents numbered `docs` or higher are not judged at all.
void pairs_of(IntView query, IntView doc, IntView pair_offsets, IntView pair_doc, int64_t docs, int64_t* pair);

// For each query, the share of the text of its first `depth` rows that is in judged documents, rounded to billionths: their
// sum, and the number of queries with rows. Row i has the spans span_offsets[i]:span_offsets[i+1]. `known` is false if one of
// these rows has no span, or one whose end is `unknown`.
struct JudgedText {
    bool known = true;
    int64_t billionths = 0, lists = 0;
};
JudgedText judged_text(IntView offsets, IntView pair, IntView span_offsets, IntView start, IntView end, int64_t depth,
                       int64_t unknown);

// The sum of values[start[i]:end[i]] for each i.
void segment_sums(IntView values, IntView start, IntView end, int64_t* sums);

// The sum of the first `cutoff` of values[offsets[t]:offsets[t+1]] for each t.
void first_sums(IntView values, IntView offsets, int64_t cutoff, int64_t* sums);

// The rows of each of `count` queries, from the query of each row, in ascending order: those of query t are
// offsets[t]:offsets[t+1]. Rows of queries with other numbers are of none.
void query_offsets(IntView query, int64_t count, int64_t* offsets);

// The same for the queries that have rows, whose numbers are `queries`.
struct QueryRows {
    Ints queries, offsets;
};
QueryRows rows_by_query(IntView query);

// The number of spans that end at `unknown`, and of those that are empty.
struct SpanCounts {
    int64_t unknown = 0, empty = 0;
};
SpanCounts span_counts(IntView start, IntView end, int64_t unknown);

// A column of tokens of a text: the key of each (see token_key), its start, and its end, or no ends if blanks end them.
struct Tokens {
    std::string_view text;
    View<uint64_t> key;
    IntView start, end;

    std::string_view at(int64_t row) const;
    bool same(int64_t a, int64_t b) const;
};

// The judged documents of each query, looked up by name: a small hash table per query.
class JudgedNames {
  public:
    // The name of document d is text[start[d]:end[d]]; those judged for query t are pair_doc[pair_offsets[t]:...].
    JudgedNames(std::string_view text, IntView start, IntView end, IntView pair_offsets, IntView pair_doc);

    // The judged pair of each row, -1 if its document is not judged for its query.
    void find(const Tokens& tokens, IntView rows, IntView query, int64_t* pair) const;

  private:
    struct Slot {
        uint64_t key;
        int64_t pair;  // -1: free
    };
    std::string text_;
    Ints start_, end_, pair_doc_;
    static constexpr uint64_t BITS = 4;  // of the filter, for each slot
    std::vector<Slot> slots_;
    Ints table_;                    // the start of each query's table
    std::vector<uint64_t> filter_;  // bits of keys that may be in the table: most documents are not judged
};

// Values numbered query by query in the order of their first rows: the number of each row's value, the first row of each.
// Rows of query t are offsets[t]:offsets[t+1].
struct Firsts {
    Ints of_row, first;
};
Firsts first_of_each(IntView code, IntView offsets);

// The same for documents: row i is token rows[i].
Firsts documents_of(const Tokens& tokens, IntView rows, IntView offsets);

// Whether each row returns the token and the spans of an earlier row of its query; each row has at least one span.
void repeated_tokens(const Tokens& tokens, IntView rows, IntView offsets, IntView span_offsets, IntView start,
                     IntView end, bool* again);

}  // namespace partwise
