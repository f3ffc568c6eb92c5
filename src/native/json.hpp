// JSON Lines: an object per line, whose keys are the names of columns, as Python's json module reads them.
#pragma once

#include "cells.hpp"

namespace partwise {

enum JsonProblem : int64_t { NOT_JSON = 1, NOT_AN_OBJECT = 2, TOO_DEEP = 3 };

// The text must be UTF-8. `deepest` is the largest depth of values, `most_digits` that of a whole number (0: any), which
// Python limits. Lines in `skipped`, ascending numbers, are left out. A line with NaN, or with anything that is not JSON
// except infinite numbers, is a problem.
CellTable read_json_lines(std::string_view text, int64_t deepest, int64_t most_digits, IntView skipped);

// The start of the last stretch of complete lines whose objects spell the same value of `key`; 0 if all do. An incomplete
// last line belongs to the stretch, and so does a line that begins like one of it up to that value, even if the key recurs in
// it or it is not JSON: the stretch may start too early then, which costs time only.
Cut last_json_query(std::string_view text, std::string_view key);

}  // namespace partwise
