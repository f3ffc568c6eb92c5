// CSV and TSV, as Python's csv module reads them in strict mode; cells lose the blanks around them.
#pragma once

#include "cells.hpp"

namespace partwise {

enum DelimitedProblem : int64_t { AFTER_QUOTE = 1, END_OF_DATA = 2, TOO_LONG = 3, COLUMN_COUNT = 4 };

// The text must be UTF-8. The first row that is not empty has the names of the columns, unless their number is known
// (otherwise -1); rows with another number of cells are problems. The line of a row is its last. Cells have at most
// `longest` characters.
CellTable read_delimited(std::string_view text, char separator, int64_t columns, int64_t longest);

// Where the rows that may not be complete start: the last stretch of rows with the same cell in this column; 0 if all rows
// have the same.
Cut last_delimited_query(std::string_view text, char separator, int64_t column, bool has_header);

}  // namespace partwise
