// Rows of a run: whether they stand in order, and which judged pair each is.
#pragma once

#include <string>
#include <string_view>

#include "spans.hpp"

namespace partwise {

// The tie group of each row if rows rise by query and, within a query, by rank, and no rank is missing (negative);
// false if they do not.
bool ties_in_order(IntView query, IntView rank, int64_t* tie);

// The pair of each row: `pair_doc` of query t is at pair_offsets[t]:pair_offsets[t+1]; -1 where the document is not
// judged for the query. Documents from `docs` on are judged for none.
void pairs_of(IntView query, IntView doc, IntView pair_offsets, IntView pair_doc, int64_t docs, int64_t* pair);

// A column of tokens in their text: the key of each (see token_key) and where it starts.
struct Tokens {
    std::string_view text;
    View<uint64_t> key;
    IntView start;

    std::string_view at(int64_t row) const;
    bool same(int64_t a, int64_t b) const;
};

// The judged documents of each query, to be found by their names: a small table per query.
class JudgedNames {
  public:
    // Document d is called text[start[d]:end[d]]; those judged for query t are pair_doc[pair_offsets[t]:...].
    JudgedNames(std::string_view text, IntView start, IntView end, IntView pair_offsets, IntView pair_doc);

    // The pair of each row, -1 where its document is not judged for its query.
    void find(const Tokens& tokens, IntView rows, IntView query, int64_t* pair) const;

  private:
    struct Slot {
        uint64_t key;
        int64_t pair;  // -1: free
    };
    std::string text_;
    Ints start_, end_, pair_doc_;
    std::vector<Slot> slots_;
    Ints table_;  // where the table of each query begins
};

// Documents in the order of their first rows, query after query: the document of each row and the first row of each.
// Rows of query t are offsets[t]:offsets[t+1]; row i is token rows[i].
struct Documents {
    Ints of_row, first;
};
Documents documents_of(const Tokens& tokens, IntView rows, IntView offsets);

// Whether each row returns the token and the spans of an earlier row of its query; rows need a span.
void repeated_tokens(const Tokens& tokens, IntView rows, IntView offsets, IntView span_offsets, IntView start,
                     IntView end, bool* again);

}  // namespace partwise
