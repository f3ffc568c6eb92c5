// The queries of a text file that is read block by block: where lines of another query begin, and which came before.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "spans.hpp"

namespace partwise {

// Where each stretch of lines with the same first column begins, and how many lines there are; empty lines belong to the
// stretch before them.
struct Stretches {
    Ints start;
    int64_t lines = 0;
};
Stretches query_stretches(std::string_view text);

// Numbers queries in the order in which they first occur, over any number of texts.
class QueryLog {
  public:
    // The number of each stretch's query; `start` as query_stretches gives it.
    Ints add(std::string_view text, const Ints& start);
    int64_t count() const { return static_cast<int64_t>(numbers_.size()); }

  private:
    std::unordered_map<std::string, int64_t> numbers_;
};

}  // namespace partwise
