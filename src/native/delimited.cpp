#include "delimited.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__) && !defined(PARTWISE_PORTABLE)
#include <emmintrin.h>
#endif

namespace partwise {

namespace {

// One bit per byte of 64: which are separators or line ends.
uint64_t ends_in(const char* at, char separator) {
    uint64_t bits = 0;
#if defined(__SSE2__) && !defined(PARTWISE_PORTABLE)
    const __m128i mark = _mm_set1_epi8(separator), feed = _mm_set1_epi8('\n'), back = _mm_set1_epi8('\r');
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
        const __m128i marks = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, feed), _mm_cmpeq_epi8(bytes, back)),
                                           _mm_cmpeq_epi8(bytes, mark));
        bits |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(marks))) << (16 * i);
    }
#else
    for (int i = 0; i < 64; ++i)
        bits |= static_cast<uint64_t>(at[i] == separator || at[i] == '\n' || at[i] == '\r') << i;
#endif
    return bits;
}

// Finds the separators and line ends of a text, one after another.
class Ends {
  public:
    Ends(const char* begin, const char* end, char separator) : window_(begin), end_(end), separator_(separator) {
        bits_ = bits_at(window_);
    }

    // The first at or after `at`, which does not move back; the end of the text if there is none.
    const char* next(const char* at) {
        if (at - window_ >= 64) {
            window_ = at;
            bits_ = bits_at(window_);
        } else {
            bits_ &= ~uint64_t{0} << (at - window_);
        }
        while (!bits_) {
            if (end_ - window_ <= 64) return end_;
            window_ += 64;
            bits_ = bits_at(window_);
        }
        return window_ + lowest_bit(bits_);
    }

  private:
    uint64_t bits_at(const char* at) const {
        if (end_ - at >= 64) return ends_in(at, separator_);
        uint64_t bits = 0;
        for (int i = 0; at + i < end_; ++i)
            bits |= static_cast<uint64_t>(at[i] == separator_ || at[i] == '\n' || at[i] == '\r') << i;
        return bits;
    }

    const char *window_, *end_;
    char separator_;
    uint64_t bits_;
};

// The number of bytes of the blank character at `at`, by Python's str.isspace(); 0 if it is not blank.
int64_t blank_size(const char* at, const char* end) {
    const auto byte = [at](int i) { return static_cast<unsigned char>(at[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return first == ' ' || (first >= 9 && first <= 13) || (first >= 28 && first <= 31);
    if (end - at >= 2 && first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
    if (end - at < 3) return 0;
    const unsigned point = static_cast<unsigned>(first) << 16 | static_cast<unsigned>(byte(1)) << 8 | byte(2);
    const bool is_blank = point == 0xE19A80 ||                            // U+1680
                          (point >= 0xE28080 && point <= 0xE2808A) ||     // U+2000 to U+200A
                          point == 0xE280A8 || point == 0xE280A9 ||       // U+2028, U+2029
                          point == 0xE280AF || point == 0xE2819F ||       // U+202F, U+205F
                          point == 0xE38080;                              // U+3000
    return is_blank ? 3 : 0;
}

void strip(const char*& begin, const char*& end) {
    while (begin < end) {
        const int64_t size = blank_size(begin, end);
        if (!size) break;
        begin += size;
    }
    while (begin < end) {
        const char* last = end - 1;
        while (last > begin && (static_cast<unsigned char>(*last) & 0xC0) == 0x80) --last;
        const int64_t size = blank_size(last, end);
        if (!size || last + size != end) break;
        end = last;
    }
}

// Reads a text row by row.
class Rows {
  public:
    Rows(std::string_view text, char separator, int64_t longest)
        : base_(text.data()),
          at_(base_),
          end_(base_ + text.size()),
          separator_(separator),
          longest_(longest),
          ends_(base_, end_, separator) {}

    std::vector<Cell> cells;
    int64_t line = 0;           // the number of the last line that was read
    int64_t what = 0;           // what is wrong with the row
    const char* row = nullptr;  // its start

    // The next row, which may be empty; false at the end.
    bool next() {
        cells.clear();
        what = 0;
        row = at_;
        if (at_ == end_) return false;
        if (at_line_end()) {
            take_line_end();
            return true;
        }
        while (at_ < end_ && *at_ == '"' ? quoted() : plain()) {
        }
        return true;
    }

    const char* position() const { return at_; }

  private:
    bool at_line_end() const { return at_ == end_ || *at_ == '\n' || *at_ == '\r'; }

    void take_line_end() {
        ++line;
        const bool returns = at_ < end_ && *at_ == '\r';
        at_ += returns;
        at_ += at_ < end_ && *at_ == '\n';
    }

    // The lines that end before `stop`.
    int64_t lines_before(const char* stop) const {
        int64_t count = 0;
        for (const char* at = at_; at < stop; ++at)
            count += *at == '\n' || (*at == '\r' && (end_ - at == 1 || at[1] != '\n'));
        return count;
    }

    bool fail(int64_t problem) {
        what = problem;
        while (!at_line_end()) ++at_;
        take_line_end();
        return false;
    }

    bool is_too_long(const char* begin, const char* end) const {
        if (end - begin <= longest_) return false;
        const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
        return std::count_if(begin, end, is_first) > longest_;
    }

    void add(const char* begin, const char* end, Kind kind) {
        const auto is_inked = [](char c) { return c > ' '; };  // an ASCII character that is not blank
        if (begin < end && !(is_inked(*begin) && is_inked(end[-1]))) strip(begin, end);
        cells.push_back(Cell::of(begin - base_, end - base_, kind));
    }

    // A cell, and what ends it; whether another cell follows.
    bool plain() {
        const char* begin = at_;
        at_ = ends_.next(at_);
        if (is_too_long(begin, at_)) return fail(TOO_LONG);
        add(begin, at_, PLAIN);
        return separator();
    }

    bool separator() {
        if (at_line_end()) {
            take_line_end();
            return false;
        }
        ++at_;
        return true;
    }

    bool quoted() {
        const char* begin = ++at_;
        int64_t doubled = 0;
        while (true) {
            const void* mark = std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_));
            const char* stop = mark ? static_cast<const char*>(mark) : end_;
            line += lines_before(stop);
            at_ = stop;
            if (!mark) {
                line += end_[-1] != '\n' && end_[-1] != '\r';
                what = END_OF_DATA;
                return false;
            }
            if (end_ - at_ < 2 || at_[1] != '"') break;
            ++doubled;
            at_ += 2;
        }
        const char* end = at_++;
        if (is_too_long(begin, end - doubled)) return fail(TOO_LONG);
        if (!at_line_end() && *at_ != separator_) return fail(AFTER_QUOTE);
        add(begin, end, doubled ? DOUBLED : PLAIN);
        return separator();
    }

    const char *base_, *at_, *end_;
    char separator_;
    int64_t longest_;
    Ends ends_;
};

bool is_empty(const std::vector<Cell>& cells) {
    return cells.empty() || (cells.size() == 1 && cells[0].start == cells[0].end());
}

}  // namespace

namespace {

// Room for the cells of all rows; every cell takes a byte of the text at least.
void reserve(CellTable& table, std::string_view text) {
    const auto lines = static_cast<std::size_t>(line_ends(text)) + 1;
    const std::size_t most = table.columns.empty() ? 0 : std::min(lines, text.size() / table.columns.size() + 1);
    for (CellColumn& column : table.columns) column.cells.reserve(most);
    table.lines.reserve(lines);
}

}  // namespace

CellTable read_delimited(std::string_view text, char separator, int64_t columns, int64_t longest) {
    CellTable table;
    if (columns >= 0) {
        table.columns.resize(static_cast<std::size_t>(columns));
        reserve(table, text);
    }
    bool has_header = columns >= 0;
    Rows rows(text, separator, longest);
    while (rows.next()) {
        const int64_t start = rows.row - text.data(), end = rows.position() - text.data();
        if (rows.what) {
            table.bad.push_back({rows.line, start, end, rows.what, 0});
            continue;
        }
        if (is_empty(rows.cells)) continue;
        if (!has_header) {
            for (const Cell& cell : rows.cells) {
                const std::string_view name = cell.in(text);
                table.columns.emplace_back();
                if (cell.kind() == DOUBLED)
                    undouble(name, table.columns.back().name);
                else
                    table.columns.back().name = std::string(name);
            }
            table.line = rows.line;
            has_header = true;
            reserve(table, text);
        } else if (rows.cells.size() != table.columns.size()) {
            table.bad.push_back({rows.line, start, end, COLUMN_COUNT, static_cast<int64_t>(rows.cells.size())});
        } else {
            for (std::size_t i = 0; i < rows.cells.size(); ++i) table.columns[i].add(rows.cells[i]);
            table.lines.push_back(rows.line);
        }
    }
    return table;
}

namespace {

// Without quotation marks and carriage returns, every line is a row, so that only the last lines are read.
Cut last_unquoted_query(std::string_view text, char separator, std::size_t column, std::size_t first_row) {
    std::size_t stop = text.rfind('\n') + 1;
    std::size_t boundary = stop;
    std::string_view query;
    bool is_first = true;
    while (stop > first_row) {
        std::size_t begin = stop - 1;
        while (begin > first_row && text[begin - 1] != '\n') --begin;
        Rows rows(text.substr(begin, stop - begin), separator, INT64_MAX);
        rows.next();
        if (!is_empty(rows.cells) && column < rows.cells.size()) {
            const std::string_view here = rows.cells[column].in(text.substr(begin));
            if (!is_first && here != query)
                return {static_cast<int64_t>(boundary), line_ends(text.substr(0, boundary))};
            query = here;
            is_first = false;
            boundary = begin;
        }
        stop = begin;
    }
    return {0, 0};
}

}  // namespace

Cut last_delimited_query(std::string_view text, char separator, int64_t column, bool has_header) {
    Rows rows(text, separator, INT64_MAX);
    std::string query, here;
    bool is_first = true;
    Cut cut{0, 0};
    const bool is_plain = text.find('"') == std::string_view::npos && text.find('\r') == std::string_view::npos;
    for (int64_t before = 0; rows.next(); before = rows.line) {
        if (rows.what || is_empty(rows.cells)) continue;
        if (rows.position() == text.data() + text.size() && text.back() != '\n') break;  // perhaps not all of the row
        if (has_header) {
            has_header = false;
            continue;
        }
        if (is_plain)
            return last_unquoted_query(text, separator, static_cast<std::size_t>(column),
                                       static_cast<std::size_t>(rows.row - text.data()));
        if (column >= static_cast<int64_t>(rows.cells.size())) continue;
        const Cell& cell = rows.cells[static_cast<std::size_t>(column)];
        here.clear();
        if (cell.kind() == DOUBLED)
            undouble(cell.in(text), here);
        else
            here = cell.in(text);
        if (!is_first && here != query) cut = {rows.row - text.data(), before};
        query.swap(here);
        is_first = false;
    }
    return cut;
}

}  // namespace partwise
