// Cells of named columns: where each is in its text, and the texts and numbers that cells hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"
#include "spans.hpp"

namespace partwise {

// What a cell is. The span of a text excludes its quotes.
enum Kind : uint8_t {
    MISSING = 0,
    PLAIN = 1,    // a text, byte by byte
    ESCAPED = 2,  // a JSON string with backslashes
    DOUBLED = 3,  // a quoted cell of CSV that has quotation marks in it, each written twice
    LITERAL = 4,  // any other JSON value: a number, true, false, an array, an object
};

// Where a cell is, in two numbers, so that columns take little room: the start, and 8 * size + kind, which is 0 if it is missing.
struct Cell {
    int64_t start, packed;

    static Cell of(int64_t start, int64_t end, Kind kind) { return {start, kind == MISSING ? 0 : (end - start) << 3 | kind}; }
    Kind kind() const { return static_cast<Kind>(packed & 7); }
    int64_t end() const { return start + (packed >> 3); }
    std::string_view in(std::string_view text) const {
        return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(packed >> 3));
    }
};

// A column; a row without a cell is missing.
struct CellColumn {
    std::string name;  // UTF-8; half characters as if they were characters
    std::vector<Cell> cells;
    std::vector<int64_t> rows;  // of each cell; empty while cell i is that of row i
    int64_t next = 0;           // the row after the last cell; -1 from the first row without a cell on

    // The cell of a row, which is the last row or a new one: the last of several cells in a row counts.
    void put(int64_t row, const Cell& cell) {
        if (row != next) return put_elsewhere(row, cell);
        ++next;
        add(cell);
    }

    void add(const Cell& cell) { cells.push_back(cell); }

  private:
    void put_elsewhere(int64_t row, const Cell& cell);
};

// A line that could not be read: where it is in the text, what is wrong, and for some problems a number.
struct BadLine {
    int64_t line, start, end, what, count;
};

struct CellTable {
    std::vector<CellColumn> columns;
    std::vector<int64_t> lines;  // of each row
    std::vector<BadLine> bad;
    std::vector<BadLine> halved;  // lines that are read and have half a character somewhere
    int64_t line = 0;             // of the header
};

// Where the queries of a text end that are complete, and the number of lines before.
struct Cut {
    int64_t at, lines;
};

// Texts that follow one another as cells: text i is edges[i]:edges[i+1]. `shift` is added to all starts. False if edges
// descend or are not between 0 and `largest`.
template <class Edge>
bool text_cells(View<Edge> edges, int64_t largest, int64_t shift, int64_t* packed) {
    bool good = edges.size == 0 || (edges[0] >= 0 && edges[edges.size - 1] <= largest);
    for (int64_t i = 0; i + 1 < edges.size; ++i) {
        const int64_t start = edges[i], end = edges[i + 1];
        good &= start <= end;
        packed[2 * i] = plus(start, shift);
        packed[2 * i + 1] = static_cast<int64_t>(static_cast<uint64_t>(minus(end, start)) << 3 | PLAIN);
    }
    return good;
}

// The texts of Arrow's views one after another, and their cells; false if a view is not of a text in these buffers. A view has
// 16 bytes: the size, then a text of at most 12 bytes, or its first four bytes, the number of its buffer and its start there.
bool view_texts(std::string_view views, const std::vector<std::string_view>& buffers, std::string& text, Ints& packed);

// The cells of one column, one per row.
struct CellView {
    std::string_view text;
    IntView packed;

    int64_t size() const { return packed.size / 2; }
    Cell cell(int64_t row) const { return {packed[2 * row], packed[2 * row + 1]}; }
    Kind kind(int64_t row) const { return cell(row).kind(); }
    std::string_view at(int64_t row) const { return cell(row).in(text); }

    // Loads a cell that is read soon after this row into the cache: if rows are long, each cell is far from the one before.
    void expect(int64_t row) const {
        constexpr int64_t ahead = 8;
        if (row + ahead < size()) prefetch(text.data() + packed[2 * (row + ahead)]);
    }
};

// Whole numbers from 0 to `largest`: digits, or digits with a fraction of zeros; -1 where missing, and in irregular rows,
// whose cells may hold such a number spelled otherwise.
void cell_naturals(const CellView& cells, int64_t largest, int64_t* value, Ints& irregular);

// Numbers as Python's float() reads them; NaN where missing, and in irregular rows.
void cell_reals(const CellView& cells, double* value, Ints& irregular);

// Distinct texts, in the order of their first rows; whole numbers are their digits. The code is -1 in irregular rows, those
// without a text among them.
struct CellTexts {
    std::string text;
    Names names;
};
void cell_texts(const CellView& cells, int64_t* code, CellTexts& texts, Ints& irregular);

// The bytes of all texts together if each is a token (see is_token) that is spelled as it is in the cell; whole numbers are
// their digits. -1 otherwise. Also whether each text starts where the one before it ends.
struct TokenBytes {
    int64_t count = 0;
    bool adjacent = true;
};
TokenBytes token_bytes(const CellView& cells);

// Copies these texts, which have so many bytes, one after another, and writes the key of each and its start, after the last
// also the end of the text. Adjacent texts need no copy: without a place for one, starts are those in the text of the cells.
void copy_tokens(const CellView& cells, int64_t bytes, char* text, uint64_t* key, int64_t* start);

// The number of characters of each text; -1 for an empty one and for anything else. With lengths that are expected, some texts
// that have another are not counted: instead of their length there is another number that is not the one expected.
void cell_lengths(const CellView& cells, const int64_t* expected, int64_t* length);

// Cells of one spelling and kind share a code; returns the first row of each code.
Ints cell_codes(const CellView& cells, int64_t* code);

// Appends what an escaped JSON string spells, which must be valid; half characters are encoded as if they were characters.
// Returns whether there is none.
bool unescape(std::string_view text, std::string& out);

// Appends a cell whose quotation marks are written twice.
void undouble(std::string_view text, std::string& out);

}  // namespace partwise
