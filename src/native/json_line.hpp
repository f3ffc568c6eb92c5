// A line of JSON: an object whose values are cells. A line is usually written like the one before, which makes it cheap to read.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "json.hpp"
#include "strings.hpp"

namespace partwise {

namespace {  // included once, so that compilers may inline all of it

constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of each hexadecimal digit; of other bytes one that no number has.
struct Hex {
    uint32_t of[256] = {};

    constexpr Hex() {
        for (int c = 0; c < 256; ++c) of[c] = 0x10000;
        for (int c = 0; c < 10; ++c) of['0' + c] = static_cast<uint32_t>(c);
        for (int c = 0; c < 6; ++c) of['a' + c] = of['A' + c] = static_cast<uint32_t>(10 + c);
    }
};
constexpr Hex HEX;

// Within a line, which has no line ends: the blanks of JSON, and what Python's bytes.strip() removes.
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_stripped(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }

// The marks of a text, of some blocks at a time: lines are read one after another.
class MarkedText {
  public:
    explicit MarkedText(std::string_view text) : text_(text) {}

    const StringMarks& of(int64_t block) {
        if (static_cast<uint64_t>(block - first_) >= BLOCKS) {
            first_ = block;
            string_marks(text_, block, BLOCKS, marks_);
        }
        return marks_[block - first_];
    }

  private:
    static constexpr int64_t BLOCKS = 32;
    std::string_view text_;
    int64_t first_ = -BLOCKS;
    StringMarks marks_[BLOCKS] = {};
};

// Whether two stretches are the same; most have eight to sixteen bytes.
bool same_bytes(const char* a, const char* b, int64_t size) {
    const auto differ = [a, b](int64_t at) { return eight_bytes(a + at) ^ eight_bytes(b + at); };
    if (size < 8) {
        while (size > 0 && a[size - 1] == b[size - 1]) --size;
        return size <= 0;
    }
    if (differ(0) | differ(size - 8)) return false;
    for (int64_t at = 8; at + 8 < size; at += 8)
        if (differ(at)) return false;
    return true;
}

// An array or object: what is before its scalars and strings, between them, and after them; empty if it has too many.
struct Shape {
    std::vector<std::string_view> stretches;
    int64_t depth = 0;

    static constexpr std::size_t MOST = 32;
};

// What is between two values of an object, or before the first: the key among other things. Lines usually have the same
// keys, written the same way, so that the bytes of the line before are tried first.
struct Gap {
    const char* begin;
    int64_t size;
    std::string_view key;  // without its quotation marks, and whether it has escapes
    bool is_escaped;
    int64_t column;  // of the key; -1 if it is not known
    Shape shape;     // of the value after it, if it is an array or object
};

constexpr int64_t BLANK = -1;

// Parses one line. Methods that return bool move `at_` past what they read, but not past the end of the line; false means
// that it is not JSON.
class Line {
  public:
    Line(std::string_view text, int64_t most_digits)
        : base_(text.data()), end_(text.data() + text.size()), marks_(text), most_digits_(most_digits) {}

    std::vector<Cell> values;
    std::vector<Gap> gaps;  // before the values of this line, perhaps followed by those of earlier lines
    int64_t depth = 0;      // of the deepest value
    bool is_whole = true;   // no half characters

    // The line that starts at `begin`; 0 if it is an object, BLANK if there is nothing in it, else what is wrong.
    int64_t read(const char* begin) {
        values.clear();
        depth = 0;
        is_whole = true;
        at_ = begin;
        strip();
        if (is_at_end()) return BLANK;
        if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, 3) == BYTE_ORDER_MARK) at_ += 3;
        blanks();
        const bool is_object = at_ < end_ && *at_ == '{';
        Cell ignored;
        const bool is_json = is_object ? object() : value(ignored, other_);
        if (!is_json) return NOT_JSON;
        strip();
        if (!is_at_end()) return NOT_JSON;
        return is_object ? 0 : static_cast<int64_t>(NOT_AN_OBJECT);
    }

    // The start of the line after the one that was read.
    const char* next() const {
        if (at_ < end_ && *at_ == '\n') return at_ + 1;
        const void* feed = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
        return feed ? static_cast<const char*>(feed) + 1 : end_;
    }

  private:
    bool is_at_end() const { return at_ == end_ || *at_ == '\n'; }

    void strip() {
        while (at_ < end_ && is_stripped(*at_)) ++at_;
    }

    void blanks() {
        while (at_ < end_ && *at_ <= ' ' && is_space(*at_)) ++at_;
    }

    bool take(char c) {
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }

    bool object() {
        ++at_;
        depth = 1;
        std::size_t known = gaps.size();
        Cell cell;
        for (std::size_t number = 0;; ++number) {
            if (number >= known || !is_gap(gaps[number])) {
                blanks();
                if (take('}')) return true;
                if (!gap(number)) return false;
                known = gaps.size();
            }
            if (!value(cell, gaps[number].shape)) return false;
            values.push_back(cell);
        }
    }

    // Moves past a key that is written like that of the line before.
    bool is_gap(const Gap& before) {
        if (before.is_escaped || end_ - at_ < before.size || !same_bytes(at_, before.begin, before.size)) return false;
        at_ += before.size;
        blanks();
        return true;
    }

    bool gap(std::size_t number) {
        const char* begin = at_;
        if (number > 0) {
            if (!take(',')) return false;
            blanks();
        }
        Cell key;
        if (!string(key)) return false;
        blanks();
        if (!take(':')) return false;
        blanks();
        if (number == gaps.size()) gaps.emplace_back();
        const std::string_view name(base_ + key.start, static_cast<std::size_t>(key.end() - key.start));
        gaps[number] = {begin, at_ - begin, name, key.kind() == ESCAPED, -1, {}};
        return true;
    }

    bool string(Cell& cell) { return take('"') && rest_of_string(cell); }

    // A string whose quotation mark was taken.
    bool rest_of_string(Cell& cell) {
        const int64_t start = at_ - base_;
        auto block = static_cast<int64_t>(static_cast<uint64_t>(start) / STRING_BLOCK);
        uint64_t inside = ~uint64_t{0} << (static_cast<uint64_t>(start) % STRING_BLOCK);
        uint64_t backslashes = 0, unusual = 0;
        while (true) {
            const StringMarks& marks = marks_.of(block);
            const uint64_t ends = marks.ends & inside, end = ends & (~ends + 1);
            inside &= end | (end - 1);  // all if there is no end
            backslashes |= marks.backslashes & inside;
            unusual |= marks.unusual & inside;
            if (end) {
                at_ = base_ + STRING_BLOCK * block + lowest_bit(end);
                break;
            }
            inside = ~uint64_t{0};
            ++block;
        }
        if (at_ >= end_ || *at_ != '"') return false;
        cell = Cell::of(start, at_ - base_, backslashes ? ESCAPED : PLAIN);
        if (unusual && !escapes(base_ + start)) return false;
        ++at_;
        return true;
    }

    // Whether all escapes are valid from here to where the string ends.
    bool escapes(const char* from) {
        while (true) {
            const void* mark = std::memchr(from, '\\', static_cast<std::size_t>(at_ - from));
            if (!mark) return true;
            from = static_cast<const char*>(mark);
            unsigned code, low;
            if (from[1] != 'u') {
                if (std::string_view("\"\\/bfnrt").find(from[1]) == std::string_view::npos) return false;
                from += 2;
                continue;
            }
            if (!unit(from, code)) return false;
            from += 6;
            if ((code & 0xF800) != 0xD800) continue;
            if (code < 0xDC00 && unit(from, low) && low >= 0xDC00 && low < 0xE000)
                from += 6;
            else
                is_whole = false;
        }
    }

    // The number of an escape; false if there is none.
    bool unit(const char* at, unsigned& code) const {
        if (at_ - at < 6 || at[0] != '\\' || at[1] != 'u') return false;
        const auto digit = [at](int place) { return HEX.of[static_cast<unsigned char>(at[place])]; };
        code = digit(2) << 12 | digit(3) << 8 | digit(4) << 4 | digit(5);
        return code < 0x10000;
    }

    bool word(std::string_view spelled) {
        if (static_cast<std::size_t>(end_ - at_) < spelled.size() || std::memcmp(at_, spelled.data(), spelled.size()) != 0)
            return false;
        at_ += spelled.size();
        return true;
    }

    // Moves past digits, eight at a time.
    void digits() {
        while (end_ - at_ >= 8) {
            const uint64_t word = eight_bytes(at_) ^ 0x3030303030303030u;
            const uint64_t others = (word | (word + 0x7676767676767676u)) & 0x8080808080808080u;  // the lowest is exact
            if (others) {
                at_ += lowest_bit(others) >> 3;
                return;
            }
            at_ += 8;
        }
        while (at_ < end_ && is_digit(*at_)) ++at_;
    }

    bool number() {
        if (take('-') && at_ < end_ && *at_ == 'I') return word("Infinity");
        const char* first = at_;
        if (at_ == end_ || !is_digit(*at_)) return false;
        if (*at_++ != '0') digits();
        const int64_t count = at_ - first;
        bool is_real = false;
        if (end_ - at_ >= 2 && *at_ == '.' && is_digit(at_[1])) {
            is_real = true;
            ++at_;
            digits();
        }
        if (at_ < end_ && (*at_ | 32) == 'e') {
            const char* exponent = at_ + 1;
            if (exponent < end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
            if (exponent < end_ && is_digit(*exponent)) {
                is_real = true;
                at_ = exponent;
                digits();
            }
        }
        return is_real || most_digits_ == 0 || count <= most_digits_;
    }

    bool scalar() {
        if (at_ == end_) return false;
        if (*at_ <= '9') return number();  // most scalars are
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

    bool value(Cell& cell, Shape& shape) {
        if (at_ == end_) return false;
        if (*at_ == '"') {
            ++at_;
            return rest_of_string(cell);
        }
        const int64_t start = at_ - base_;
        const Kind kind = *at_ == 'n' ? MISSING : LITERAL;
        if (!(opens() ? nested(shape) : scalar())) return false;
        cell = Cell::of(start, at_ - base_, kind);
        return true;
    }

    // Moves past an array or object that is written like that of the line before, but for its scalars and strings.
    bool is_shaped(const Shape& before) {
        if (before.stretches.empty()) return false;
        const char* begin = at_;
        for (std::size_t i = 0; i < before.stretches.size(); ++i) {
            const std::string_view stretch = before.stretches[i];
            const auto size = static_cast<int64_t>(stretch.size());
            if ((i > 0 && !item()) || end_ - at_ < size || !same_bytes(at_, stretch.data(), size)) {
                at_ = begin;
                return false;
            }
            at_ += size;
        }
        depth = std::max(depth, before.depth);
        return true;
    }

    // An array or object, whose shape is kept for the line after, unless half a character was seen, perhaps in a key: the
    // line after must notice it, too.
    bool nested(Shape& shape) {
        if (is_shaped(shape)) return true;
        shape.stretches.clear();
        recorded_.stretches.clear();
        recorded_.depth = 0;
        stretch_ = at_;
        const int64_t outer = depth == 0 ? 0 : 1;
        if (!brackets()) return false;
        recorded_.depth += outer;
        depth = std::max(depth, recorded_.depth);
        record(at_);
        if (is_whole && recorded_.stretches.size() <= Shape::MOST) std::swap(shape, recorded_);
        return true;
    }

    // An array or object of any depth, without recursion.
    bool brackets() {
        open_.clear();
        while (true) {
            open_.push_back(*at_++);
            recorded_.depth = std::max(recorded_.depth, static_cast<int64_t>(open_.size()));
            blanks();
            bool is_complete = take(open_.back() == '{' ? '}' : ']');
            if (!is_complete && !first_of_item()) return false;
            if (!is_complete && opens()) continue;
            if (is_complete) open_.pop_back();
            else if (!recorded_item()) return false;
            bool goes_deeper = false;
            while (!open_.empty() && !goes_deeper) {
                blanks();
                if (take(open_.back() == '{' ? '}' : ']')) {
                    open_.pop_back();
                    continue;
                }
                if (!take(',')) return false;
                blanks();
                if (!first_of_item()) return false;
                goes_deeper = opens();
                if (!goes_deeper && !recorded_item()) return false;
            }
            if (!goes_deeper) return true;
        }
    }

    bool opens() const { return at_ < end_ && (*at_ == '{' || *at_ == '['); }

    // The key of an item of an object, with its colon; nothing in an array.
    bool first_of_item() {
        if (open_.back() == '[') return true;
        Cell key;
        if (!string(key)) return false;
        blanks();
        if (!take(':')) return false;
        blanks();
        return true;
    }

    // A scalar or string of an array or object.
    bool item() {
        Cell ignored;
        if (at_ == end_ || *at_ != '"') return scalar();
        ++at_;
        return rest_of_string(ignored);
    }

    bool recorded_item() {
        record(at_);
        const bool is_json = item();
        stretch_ = at_;
        return is_json;
    }

    // The stretch that ends here; beyond the most that a shape can have, one more is enough.
    void record(const char* end) {
        if (recorded_.stretches.size() <= Shape::MOST)
            recorded_.stretches.emplace_back(stretch_, static_cast<std::size_t>(end - stretch_));
    }

    const char* base_;
    const char* at_ = nullptr;
    const char* end_;
    MarkedText marks_;
    int64_t most_digits_;
    std::string open_;  // the brackets that are open
    Shape recorded_;    // of the array or object that is read, up to this stretch
    const char* stretch_ = nullptr;
    Shape other_;  // of a line that is not an object
};

}  // namespace

}  // namespace partwise
