#include "json.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#if defined(__SSE2__) && !defined(PARTWISE_PORTABLE)
#include <emmintrin.h>
#endif

namespace partwise {

namespace {

constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_stripped(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }  // as Python's bytes.strip()

// Whether a byte of a string needs attention: a quotation mark, a backslash, or a control character.
bool is_special(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32; }

// The first byte at or after `at` that needs attention.
const char* next_special(const char* at, const char* end) {
#if defined(__SSE2__) && !defined(PARTWISE_PORTABLE)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(31);
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i marks = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                           _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
        const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(marks));
        if (mask) return at + lowest_bit(mask);
    }
#endif
    while (at < end && !is_special(*at)) ++at;
    return at;
}

struct Member {
    Cell key, value;
};

// Parses one line. Methods that return bool move `at_` past what they read; false means that it is not JSON.
class Line {
  public:
    Line(std::string_view text, int64_t most_digits) : base_(text.data()), most_digits_(most_digits) {}

    std::vector<Member> members;
    int64_t depth = 0;     // of the deepest value
    bool is_whole = true;  // no half characters

    // A line without the blanks around it; 0 if it is an object, else what is wrong.
    int64_t read(const char* begin, const char* end) {
        members.clear();
        depth = 0;
        is_whole = true;
        at_ = begin;
        end_ = end;
        if (std::string_view(begin, static_cast<std::size_t>(end - begin)).substr(0, 3) == BYTE_ORDER_MARK) at_ += 3;
        blanks();
        const bool is_object = at_ < end_ && *at_ == '{';
        Cell ignored;
        const bool is_json = is_object ? object() : value(ignored);
        blanks();
        if (!is_json || at_ < end_) return NOT_JSON;
        if (!is_object) return NOT_AN_OBJECT;
        return 0;
    }

  private:
    void blanks() {
        while (at_ < end_ && is_space(*at_)) ++at_;
    }

    bool take(char c) {
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }

    bool object() {
        ++at_;
        depth = 1;
        blanks();
        if (take('}')) return true;
        while (true) {
            members.emplace_back();
            Member& member = members.back();
            if (!string(member.key)) return false;
            blanks();
            if (!take(':')) return false;
            blanks();
            if (!value(member.value)) return false;
            blanks();
            if (take('}')) return true;
            if (!take(',')) return false;
            blanks();
        }
    }

    bool string(Cell& cell) {
        if (!take('"')) return false;
        cell.start = at_ - base_;
        cell.kind = PLAIN;
        while (true) {
            at_ = next_special(at_, end_);
            if (at_ == end_) return false;
            if (*at_ == '"') break;
            if (*at_ != '\\' || !escape()) return false;
            cell.kind = ESCAPED;
        }
        cell.end = at_++ - base_;
        return true;
    }

    bool unit(const char* at, unsigned& code) const {
        if (end_ - at < 6 || at[0] != '\\' || at[1] != 'u') return false;
        code = 0;
        for (int i = 2; i < 6; ++i) {
            if (!is_hex(at[i])) return false;
            code = code << 4 | static_cast<unsigned>(is_digit(at[i]) ? at[i] - '0' : (at[i] | 32) - 'a' + 10);
        }
        return true;
    }

    bool escape() {
        if (end_ - at_ < 2) return false;
        if (at_[1] != 'u') {
            if (!std::memchr("\"\\/bfnrt", at_[1], 8)) return false;
            at_ += 2;
            return true;
        }
        unsigned code, low;
        if (!unit(at_, code)) return false;
        at_ += 6;
        if (code >= 0xD800 && code < 0xE000) {
            if (code < 0xDC00 && unit(at_, low) && low >= 0xDC00 && low < 0xE000)
                at_ += 6;
            else
                is_whole = false;
        }
        return true;
    }

    bool word(std::string_view spelled) {
        if (static_cast<std::size_t>(end_ - at_) < spelled.size() || std::memcmp(at_, spelled.data(), spelled.size()) != 0)
            return false;
        at_ += spelled.size();
        return true;
    }

    bool number() {
        if (take('-') && at_ < end_ && *at_ == 'I') return word("Infinity");
        const char* first = at_;
        if (at_ == end_ || !is_digit(*at_)) return false;
        if (*at_++ != '0')
            while (at_ < end_ && is_digit(*at_)) ++at_;
        const int64_t digits = at_ - first;
        bool is_real = false;
        if (end_ - at_ >= 2 && *at_ == '.' && is_digit(at_[1])) {
            is_real = true;
            ++at_;
            while (at_ < end_ && is_digit(*at_)) ++at_;
        }
        if (at_ < end_ && (*at_ | 32) == 'e') {
            const char* exponent = at_ + 1;
            if (exponent < end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
            if (exponent < end_ && is_digit(*exponent)) {
                is_real = true;
                at_ = exponent;
                while (at_ < end_ && is_digit(*at_)) ++at_;
            }
        }
        return is_real || most_digits_ == 0 || digits <= most_digits_;
    }

    bool scalar() {
        if (at_ == end_) return false;
        switch (*at_) {
            case 't':
                return word("true");
            case 'f':
                return word("false");
            case 'n':
                return word("null");
            case 'I':
                return word("Infinity");
            default:
                return number();
        }
    }

    bool value(Cell& cell) {
        if (at_ < end_ && *at_ == '"') return string(cell);
        cell.kind = at_ < end_ && *at_ == 'n' ? MISSING : LITERAL;
        cell.start = at_ - base_;
        const bool good = at_ < end_ && (*at_ == '{' || *at_ == '[') ? nested() : scalar();
        cell.end = at_ - base_;
        return good;
    }

    // An array or object of any depth, without recursion.
    bool nested() {
        Cell ignored;
        const int64_t outer = depth == 0 ? 0 : 1;
        open_.clear();
        while (true) {
            open_.push_back(*at_++);
            depth = std::max(depth, outer + static_cast<int64_t>(open_.size()));
            blanks();
            bool is_complete = take(open_.back() == '{' ? '}' : ']');
            if (!is_complete && !first_of_item(ignored)) return false;
            if (!is_complete && opens()) continue;
            if (is_complete) open_.pop_back();
            else if (!item(ignored)) return false;
            bool goes_deeper = false;
            while (!open_.empty() && !goes_deeper) {
                blanks();
                if (take(open_.back() == '{' ? '}' : ']')) {
                    open_.pop_back();
                    continue;
                }
                if (!take(',')) return false;
                blanks();
                if (!first_of_item(ignored)) return false;
                goes_deeper = opens();
                if (!goes_deeper && !item(ignored)) return false;
            }
            if (!goes_deeper) return true;
        }
    }

    bool opens() const { return at_ < end_ && (*at_ == '{' || *at_ == '['); }

    // The key of an item of an object, with its colon; nothing in an array.
    bool first_of_item(Cell& ignored) {
        if (open_.back() == '[') return true;
        if (!string(ignored)) return false;
        blanks();
        if (!take(':')) return false;
        blanks();
        return true;
    }

    bool item(Cell& ignored) { return at_ < end_ && *at_ == '"' ? string(ignored) : scalar(); }

    const char* base_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    int64_t most_digits_;
    std::string open_;  // the brackets that are open
};

// The lines of a text, without the blanks around them.
struct Stripped {
    const char *begin, *end, *next;
};

Stripped stripped(const char* line, const char* text_end) {
    const void* mark = std::memchr(line, '\n', static_cast<std::size_t>(text_end - line));
    const char* end = mark ? static_cast<const char*>(mark) : text_end;
    const char* next = mark ? end + 1 : text_end;
    while (line < end && is_stripped(*line)) ++line;
    while (line < end && is_stripped(end[-1])) --end;
    return {line, end, next};
}

// The start of the line that `at` is in, eight bytes at a time.
const char* line_start(const char* base, const char* at) {
    constexpr uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u, feeds = 0x0A0A0A0A0A0A0A0Au;
    while (at - base >= 8) {
        const uint64_t other = eight_bytes(at - 8) ^ feeds;
        if ((other - ones) & ~other & highs) break;
        at -= 8;
    }
    while (at > base && at[-1] != '\n') --at;
    return at;
}

class KeyColumns {
  public:
    explicit KeyColumns(std::string_view text) : text_(text) {}

    void add(int64_t row, const std::vector<Member>& members) {
        std::size_t expected = 0;  // lines usually have the same keys in the same order
        for (const Member& member : members) {
            const std::size_t column = number(member.key, expected);
            table[column].put(row, member.value);
            expected = column + 1;
        }
    }

    std::vector<CellColumn> table;

  private:
    std::size_t number(const Cell& key, std::size_t expected) {
        std::string_view name = text_.substr(static_cast<std::size_t>(key.start), static_cast<std::size_t>(key.end - key.start));
        if (key.kind == ESCAPED) {
            spelled_.clear();
            unescape(name, spelled_);
            name = spelled_;
        }
        if (expected < table.size() && table[expected].name == name) return expected;
        const auto [place, is_new] = numbers_.try_emplace(std::string(name), table.size());
        if (is_new) {
            table.emplace_back();
            table.back().name = std::string(name);
        }
        return place->second;
    }

    std::string_view text_;
    std::string spelled_;
    std::map<std::string, std::size_t> numbers_;
};

}  // namespace

CellTable read_json_lines(std::string_view text, int64_t deepest, int64_t most_digits, IntView skipped) {
    CellTable table;
    KeyColumns columns(text);
    Line line(text, most_digits);
    const char *base = text.data(), *end = base + text.size();
    int64_t number = 0, next_skipped = 0;
    for (const char* at = base; at < end;) {
        const Stripped found = stripped(at, end);
        at = found.next;
        ++number;
        if (next_skipped < skipped.size && skipped[next_skipped] == number) {
            ++next_skipped;
            continue;
        }
        if (found.begin == found.end) continue;
        int64_t what = line.read(found.begin, found.end);
        if (what == 0 && line.depth > deepest) what = TOO_DEEP;
        const BadLine place{number, found.begin - base, found.end - base, what, 0};
        if (what) {
            table.bad.push_back(place);
            continue;
        }
        if (!line.is_whole) table.halved.push_back(place);
        columns.add(static_cast<int64_t>(table.lines.size()), line.members);
        table.lines.push_back(number);
    }
    table.columns = std::move(columns.table);
    return table;
}

Cut last_json_query(std::string_view text, std::string_view key) {
    Line line(text, 0);
    const char* base = text.data();
    const char* stop = base + text.size();
    while (stop > base && stop[-1] != '\n') --stop;
    const char* boundary = stop;
    std::string_view query;
    bool is_known = false;
    while (stop > base) {
        const char* begin = line_start(base, stop - 1);
        const Stripped found = stripped(begin, stop);
        if (found.begin < found.end && line.read(found.begin, found.end) == 0) {
            for (auto member = line.members.rbegin(); member != line.members.rend(); ++member) {
                const auto at = [text](const Cell& cell) {
                    return text.substr(static_cast<std::size_t>(cell.start), static_cast<std::size_t>(cell.end - cell.start));
                };
                if (at(member->key) != key) continue;
                const std::string_view here = at(member->value);
                if (is_known && here != query) {
                    const int64_t before = boundary - base;
                    return {before, line_ends(text.substr(0, static_cast<std::size_t>(before)))};
                }
                query = here;
                is_known = true;
                boundary = begin;
                break;
            }
        }
        stop = begin;
    }
    return {0, 0};
}

}  // namespace partwise
