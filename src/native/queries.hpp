// The queries of a text file that is read in blocks: where each query starts, and which queries occurred before.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "spans.hpp"

namespace partwise {

// The start of each stretch of lines with the same first column, and the number of lines; empty lines belong to the
// preceding stretch.
struct Stretches {
    Ints start;
    int64_t lines = 0;
};
Stretches query_stretches(std::string_view text);

// Numbers queries in order of first occurrence, over any number of texts.
class QueryLog {
  public:
    // The number of each stretch's query; `start` comes from query_stretches.
    Ints add(std::string_view text, const Ints& start);
    int64_t count() const { return static_cast<int64_t>(numbers_.size()); }

  private:
    std::unordered_map<std::string, int64_t> numbers_;
};

}  // namespace partwise
