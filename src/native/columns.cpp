#include "columns.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "text.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

constexpr std::string_view TREC_RUN = "s-dofs";

struct Token {
    const char* begin;
    const char* end;
};


// The token of the previous row: queries and run tags stay the same for many rows.
struct Previous {
    const char* begin = nullptr;
    int64_t size = -1;
    uint64_t key = 0;   // the first bytes, up to eight
    uint64_t mask = 0;  // that selects them
    int64_t code = 0;
};

class Reader {
  public:
    Reader(std::string_view text, std::string_view kinds, int64_t lines)
        : text_(text.data()),
          end_(text.data() + text.size()),
          kinds_(kinds),
          outputs_(kinds.size()),
          capacity_(lines < 0 ? line_ends(text) + 1 : lines) {
        const int64_t capacity = capacity_;
        table_.columns.resize(kinds.size());
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            Column& column = table_.columns[i];
            column.kind = kinds[i];
            if (kinds[i] == 'f')
                column.reals = Buffer<double>(capacity);
            else if (kinds[i] != '-')
                column.numbers = Buffer<int64_t>(capacity);
            if (kinds[i] == 'd') column.keys = Buffer<uint64_t>(capacity);
            outputs_[i] = {column.numbers.data(), column.reals.data(), column.keys.data(), &column.names, {}};
        }
        table_.lines = Buffer<int64_t>(capacity);
    }

    Columns read() {
        const char* at = text_;
        const char* padded = last_line_end();
        if (kinds_ == "s-dnfsnn")
            at = straight_lines<'s', '-', 'd', 'n', 'f', 's', 'n', 'n'>(at, padded);
        else if (kinds_ == TREC_RUN)
            at = straight_lines<'s', '-', 'd', 'o', 'f', 's'>(at, padded);
        while (at < padded) at = quick_line(at);
        while (at < end_) at = careful_line(at);
        for (Column& column : table_.columns) {
            if (column.kind == 'f')
                column.reals.resize(row_);
            else if (column.kind != '-')
                column.numbers.resize(row_);
            if (column.kind == 'd') column.keys.resize(row_);
        }
        table_.lines.resize(row_);
        return std::move(table_);
    }

  private:
    // Destination of a column's values.
    struct Output {
        int64_t* numbers;
        double* reals;
        uint64_t* keys;
        Names* names;
        Previous previous;
    };

    void require_capacity(int64_t row) const {
        if (row >= capacity_) throw std::length_error("a text has more lines than were counted");
    }

    // One past the last line that can be read eight bytes at a time.
    const char* last_line_end() const {
        const char* at = end_ - std::min<int64_t>(PADDING, end_ - text_);
        while (at > text_ && at[-1] != '\n') --at;
        return at;
    }

    // Fast path for lines of at most 64 bytes with exactly one blank after each column: the bits of one word mark the ends
    // of the columns. Other lines go to quick_line.
    template <char... Kinds>
    const char* straight_lines(const char* line, const char* stop) {
        std::array<Output, sizeof...(Kinds)> outputs;  // copies, which no write to a column can change
        std::copy(outputs_.begin(), outputs_.end(), outputs.begin());
        int64_t* const lines = table_.lines.data();
        int64_t row = row_, number = line_;
        while (line < stop) {
            require_capacity(row);
            const Marks marks = marks_of(line);
            const uint64_t edges = marks.blanks & (marks.breaks ^ (marks.breaks - 1));
            Cursor cursor{line, line, edges};
            std::size_t i = 0;
            const bool fits = *line != COMMENT && marks.breaks && !(edges & ((edges << 1) | 1)) &&
                              (straight<Kinds>(outputs[i++], row, cursor) && ...) && cursor.left == 0;
            if (fits) {
                lines[row++] = ++number;
                line = cursor.begin;
            } else {
                row_ = row;
                line_ = number;
                line = quick_line(line);
                row = row_;
                number = line_;
            }
        }
        row_ = row;
        line_ = number;
        return line;
    }

    struct Cursor {
        const char* line;
        const char* begin;
        uint64_t left;
    };

    template <char Kind>
    PARTWISE_INLINE bool straight(Output& output, int64_t row, Cursor& cursor) {
        if (!cursor.left) return false;
        const char* begin = cursor.begin;
        const char* end = cursor.line + lowest_bit(cursor.left);
        cursor.left &= cursor.left - 1;
        cursor.begin = end + 1;
        return value<Kind>(output, row, begin, end);
    }

    // A regular line; anything else goes to careful_line.
    const char* quick_line(const char* line) {
        require_capacity(row_);
        const char* at = line;
        const std::size_t count = kinds_.size();
        for (std::size_t i = 0; i < count; ++i) {
            while (is_blank(*at)) {
                if (*at == '\n') return careful_line(line);
                ++at;
            }
            if (i == 0 && *at == COMMENT) return careful_line(line);
            const char* begin = at;
            at = token_end(at);
            if (!any_value(kinds_[i], outputs_[i], begin, at)) return careful_line(line);
        }
        while (*at != '\n') {
            if (!is_blank(*at)) return careful_line(line);
            ++at;
        }
        table_.lines[row_++] = ++line_;
        return at + 1;
    }

    // Stores the value of a token of padded text; false if the token is not of this kind.
    template <char Kind>
    PARTWISE_INLINE bool value(Output& output, int64_t row, const char* begin, const char* end) {
        if constexpr (Kind == 's') {
            output.numbers[row] = code(output, begin, end);
        } else if constexpr (Kind == 'd') {
            output.keys[row] = token_key(begin, end - begin, true);
            output.numbers[row] = begin - text_;
        } else if constexpr (Kind == 'n') {
            return quick_natural(begin, end, output.numbers[row]);
        } else if constexpr (Kind == 'o') {
            if (!quick_natural(begin, end, output.numbers[row])) output.numbers[row] = -1;
        } else if constexpr (Kind == 'i') {
            return whole_number(begin, end, output.numbers[row]);
        } else if constexpr (Kind == 'f') {
            return quick_real(begin, end, output.reals[row]);
        }
        return true;
    }

    bool any_value(char kind, Output& output, const char* begin, const char* end) {
        switch (kind) {
            case 's':
                return value<'s'>(output, row_, begin, end);
            case 'd':
                return value<'d'>(output, row_, begin, end);
            case 'n':
                return value<'n'>(output, row_, begin, end);
            case 'o':
                return value<'o'>(output, row_, begin, end);
            case 'i':
                return value<'i'>(output, row_, begin, end);
            case 'f':
                return value<'f'>(output, row_, begin, end);
            default:
                return true;
        }
    }

    PARTWISE_INLINE int64_t code(Output& output, const char* begin, const char* end) {
        const int64_t size = end - begin;
        const Previous& previous = output.previous;
        if (size == previous.size && !((eight_bytes(begin) ^ previous.key) & previous.mask) &&
            (size <= 8 || std::memcmp(begin, previous.begin, static_cast<std::size_t>(size)) == 0))
            return previous.code;
        return other_code(output, begin, size);
    }

    int64_t other_code(Output& output, const char* begin, int64_t size) {
        const uint64_t mask = first_bytes(~uint64_t{0}, size);
        const int64_t code = output.names->code(text_, begin - text_, begin - text_ + size, true);
        output.previous = Previous{begin, size, eight_bytes(begin) & mask, mask, code};
        return code;
    }

    // Any line, byte by byte: adds a row or a problem, or nothing if the line is empty or a comment.
    const char* careful_line(const char* line) {
        const void* line_end = std::memchr(line, '\n', static_cast<std::size_t>(end_ - line));
        const char* stop = line_end ? static_cast<const char*>(line_end) : end_;
        ++line_;
        tokens_.clear();
        for (const char* at = line; at < stop;) {
            while (at < stop && is_blank(*at)) ++at;
            const char* begin = at;
            while (at < stop && !is_blank(*at)) ++at;
            if (begin < at) tokens_.push_back({begin, at});
        }
        const char* next = stop < end_ ? stop + 1 : end_;
        if (tokens_.empty() || *tokens_[0].begin == COMMENT) return next;
        require_capacity(row_);
        if (has_more_text()) {
            ++table_.with_more_text;
            tokens_.resize(kinds_.size());
        }
        if (tokens_.size() != kinds_.size()) {
            table_.problems.push_back({line_, -1, std::to_string(tokens_.size())});
            return next;
        }
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const auto [begin, end] = tokens_[i];
            Column& column = table_.columns[i];
            bool good = true;
            if (column.kind == 'n' || column.kind == 'o') {
                good = natural_number(begin, end, column.numbers[row_]);
                if (!good && column.kind == 'o') {
                    column.numbers[row_] = -1;
                    good = true;
                }
            } else if (column.kind == 'i') {
                good = whole_number(begin, end, column.numbers[row_]);
            } else if (column.kind == 'f') {
                good = real_number(begin, end, column.reals[row_]);
            }
            if (!good) {
                table_.problems.push_back({line_, static_cast<int64_t>(i), std::string(begin, end)});
                return next;
            }
        }
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            Column& column = table_.columns[i];
            const auto [begin, end] = tokens_[i];
            if (column.kind == 's') {
                column.numbers[row_] = column.names.code(text_, begin - text_, end - text_, false);
            } else if (column.kind == 'd') {
                column.keys[row_] = token_key(begin, end - begin, false);
                column.numbers[row_] = begin - text_;
            }
        }
        table_.lines[row_++] = line_;
        return next;
    }

    // Whether a line of a TREC run has text after the run tag, which trec_eval ignores: nothing like a number or a path.
    bool has_more_text() const {
        if (kinds_ != TREC_RUN || tokens_.size() <= kinds_.size()) return false;
        const auto begins_a_place = [](const Token& token) {
            return std::string_view("0123456789+-.([/").find(*token.begin) != std::string_view::npos;
        };
        const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(kinds_.size());
        return !begins_a_place(*first) && !(tokens_.size() == 8 && begins_a_place(first[1]));
    }

    const char* text_;
    const char* end_;
    std::string_view kinds_;
    std::vector<Output> outputs_;
    int64_t capacity_;
    std::vector<Token> tokens_;
    Columns table_;
    int64_t row_ = 0;
    int64_t line_ = 0;
};

bool is_all_digits(const char* begin, const char* end) {
    if (begin == end) return false;
    return std::all_of(begin, end, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Columns read_columns(std::string_view text, std::string_view kinds, int64_t lines) {
    return Reader(text, kinds, lines).read();
}

Passages read_passages(std::string_view text) {
    Passages table;
    const char* base = text.data();
    const char* end = base + text.size();
    std::vector<Token> tokens;
    std::vector<int64_t> pairs;
    int64_t number = 0;
    for (const char* line = base; line < end;) {
        const void* mark = std::memchr(line, '\n', static_cast<std::size_t>(end - line));
        const char* stop = mark ? static_cast<const char*>(mark) : end;
        ++number;
        tokens.clear();
        for (const char* at = line; at < stop;) {
            while (at < stop && is_blank(*at)) ++at;
            const char* begin = at;
            while (at < stop && !is_blank(*at)) ++at;
            if (begin < at) tokens.push_back({begin, at});
        }
        line = stop < end ? stop + 1 : end;
        if (tokens.empty() || *tokens[0].begin == COMMENT) continue;
        if (tokens.size() < 6) {
            table.problems.push_back({number, -1, std::to_string(tokens.size())});
            continue;
        }
        int64_t values[3];
        bool good = true;
        for (std::size_t column = 3; column < 6 && good; ++column) {
            const auto [begin, stop_at] = tokens[column];
            int64_t& value = values[column - 3];
            const bool none = column == 5 && stop_at - begin == 2 && begin[0] == '-' && begin[1] == '1';
            if (none) {
                value = -1;
            } else if (stop_at - begin > 18 || !natural_number(begin, stop_at, value)) {
                table.problems.push_back({number, static_cast<int64_t>(column), std::string(begin, stop_at)});
                good = false;
            }
        }
        pairs.clear();
        for (std::size_t column = 6; column < tokens.size() && good; ++column) {
            const auto [begin, stop_at] = tokens[column];
            const char* colon = std::find(begin, stop_at, ':');
            if (colon == stop_at || !is_all_digits(begin, colon) || !is_all_digits(colon + 1, stop_at)) {
                table.problems.push_back({number, static_cast<int64_t>(column), std::string(begin, stop_at)});
                good = false;
                break;
            }
            const int64_t first = colon - begin, second = stop_at - colon - 1;
            if (std::max(first, second) > 18) {
                const std::string longest = second > first ? std::string(colon + 1, stop_at) : std::string(begin, colon);
                table.problems.push_back({number, static_cast<int64_t>(column), longest});
                good = false;
                break;
            }
            int64_t offset, length;
            natural_number(begin, colon, offset);
            natural_number(colon + 1, stop_at, length);
            pairs.push_back(offset);
            pairs.push_back(length);
        }
        if (!good) continue;
        const int64_t row = static_cast<int64_t>(table.query.size());
        for (std::size_t i = 0; i < pairs.size(); i += 2) {
            table.row_of.push_back(row);
            table.start.push_back(pairs[i]);
            table.size.push_back(pairs[i + 1]);
        }
        table.query.push_back(table.query_names.code(base, tokens[0].begin - base, tokens[0].end - base, false));
        table.doc.push_back(table.doc_names.code(base, tokens[2].begin - base, tokens[2].end - base, false));
        table.relevant.push_back(values[0]);
        table.length.push_back(values[1]);
        table.bep.push_back(values[2]);
        table.lines.push_back(number);
    }
    return table;
}

Shapes line_shapes(std::string_view text) {
    Shapes shapes;
    const char* end = text.data() + text.size();
    int64_t number = 0;
    for (const char* line = text.data(); line < end;) {
        const void* mark = std::memchr(line, '\n', static_cast<std::size_t>(end - line));
        const char* stop = mark ? static_cast<const char*>(mark) : end;
        ++number;
        int64_t columns = 0, slashes = 0;
        for (const char* at = line; at < stop;) {
            while (at < stop && is_blank(*at)) ++at;
            if (at == stop || (columns == 0 && *at == COMMENT)) break;
            ++columns;
            slashes = ((slashes << 1) & 2) | (*at == '/');
            while (at < stop && !is_blank(*at)) ++at;
        }
        if (columns) {
            shapes.line.push_back(number);
            shapes.columns.push_back(columns);
            shapes.slashes.push_back(slashes);
        }
        line = stop < end ? stop + 1 : end;
    }
    return shapes;
}

int64_t last_query(std::string_view text) {
    const char* base = text.data();
    const char* stop = base + text.size();
    while (stop > base && stop[-1] != '\n') --stop;
    const char* boundary = stop;
    std::string_view query;
    while (stop > base) {
        const char* line = stop - 1;  // at the line end
        while (line > base && line[-1] != '\n') --line;
        const char* begin = line;
        while (begin < stop && is_blank(*begin)) ++begin;
        const char* end = begin;
        while (end < stop && !is_blank(*end)) ++end;
        const std::string_view here(begin, static_cast<std::size_t>(end - begin));
        if (!here.empty() && here[0] != COMMENT) {
            if (!query.empty() && here != query) return boundary - base;
            query = here;
            boundary = line;
        }
        stop = line;
    }
    return 0;
}

namespace {

// Without the rest of what is to be known, which is not a loop over all bytes.
PARTWISE_CLONES Content ascii_and_nul(std::string_view text) {
    unsigned char highs = 0;
    unsigned char zeros = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        highs |= byte;
        zeros |= static_cast<unsigned char>(byte == 0);
    }
    return {!(highs & 0x80), true, zeros != 0};
}

}  // namespace

Content content_of(std::string_view text) {
    Content content = ascii_and_nul(text);
    if (content.ascii) return content;
    const auto* at = reinterpret_cast<const unsigned char*>(text.data());
    const auto* end = at + text.size();
    while (at < end) {
        if (end - at >= 8 && !(eight_bytes(reinterpret_cast<const char*>(at)) & 0x8080808080808080u)) {
            at += 8;
            continue;
        }
        const unsigned char c = *at;
        const int more = c < 0x80 ? 0 : c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xF0 && c < 0xF5 ? 3 : -1;
        if (more < 0 || end - at <= more) {
            content.utf8 = false;
            return content;
        }
        // The second byte excludes overlong forms, surrogates and code points beyond Unicode.
        const unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
        const unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
        for (int i = 1; i <= more; ++i) {
            if (at[i] < (i == 1 ? low : 0x80) || at[i] > (i == 1 ? high : 0xBF)) {
                content.utf8 = false;
                return content;
            }
        }
        at += more + 1;
    }
    return content;
}

}  // namespace partwise
