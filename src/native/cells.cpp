#include "cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strings.hpp"
#include "vectors.hpp"

namespace partwise {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits, and as the fraction of a JSON number any zeros, or after a text ".0".
bool plain_natural(std::string_view cell, bool is_text, int64_t& value) {
    std::size_t size = 0;
    int64_t sum = 0;
    while (size < cell.size() && size < 18 && is_digit(cell[size])) sum = 10 * sum + (cell[size++] - '0');
    if (size == 0 || (size < cell.size() && is_digit(cell[size]))) return false;
    value = sum;
    if (size == cell.size()) return true;
    const std::string_view rest = cell.substr(size);
    if (rest == ".0") return true;
    return !is_text && rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of('0', 1) == std::string_view::npos;
}

// -?[1-9][0-9]* or 0, as JSON and Python spell a whole number.
bool spells_whole(std::string_view cell) {
    const std::size_t sign = !cell.empty() && cell[0] == '-';
    if (cell.size() == sign || !is_digit(cell[sign])) return false;
    if (cell[sign] == '0') return cell.size() == 1;
    return std::all_of(cell.begin() + static_cast<std::ptrdiff_t>(sign), cell.end(), is_digit);
}

unsigned hex(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    return static_cast<unsigned>((c | 32) - 'a' + 10);
}

unsigned code_unit(const char* at) { return hex(at[0]) << 12 | hex(at[1]) << 8 | hex(at[2]) << 4 | hex(at[3]); }

void encode(unsigned point, std::string& out) {
    const auto add = [&out](unsigned byte) { out.push_back(static_cast<char>(byte)); };
    if (point < 0x80) {
        add(point);
    } else if (point < 0x800) {
        add(0xC0 | point >> 6);
        add(0x80 | (point & 63));
    } else if (point < 0x10000) {
        add(0xE0 | point >> 12);
        add(0x80 | (point >> 6 & 63));
        add(0x80 | (point & 63));
    } else {
        add(0xF0 | point >> 18);
        add(0x80 | (point >> 12 & 63));
        add(0x80 | (point >> 6 & 63));
        add(0x80 | (point & 63));
    }
}

PARTWISE_CLONES int64_t characters(std::string_view text) {
    return count_bytes(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

}  // namespace

void CellColumn::put_elsewhere(int64_t row, const Cell& cell) {
    if (row == (next >= 0 ? next - 1 : rows.back())) {
        cells.back() = cell;
        return;
    }
    if (next >= 0) {
        rows.resize(cells.size());
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(i);
        next = -1;
    }
    rows.push_back(row);
    add(cell);
}

void cell_naturals(const CellView& cells, int64_t largest, int64_t* value, Ints& irregular) {
    const char* last = cells.text.data() + cells.text.size();
    for (int64_t row = 0; row < cells.size(); ++row) {
        cells.expect(row);
        const Kind kind = cells.kind(row);
        value[row] = -1;
        const std::string_view cell = cells.at(row);
        if (kind == MISSING || (kind == PLAIN && cell.empty())) continue;
        int64_t number = -1;
        uint64_t digits;
        const bool is_quick = last - cell.data() > PADDING && sixteen_digits(cell.data(), static_cast<int64_t>(cell.size()), digits);
        if (is_quick) number = static_cast<int64_t>(digits);
        if ((kind == PLAIN || kind == LITERAL) && (is_quick || plain_natural(cell, kind == PLAIN, number)) && number <= largest)
            value[row] = number;
        else
            irregular.push_back(row);
    }
}

void cell_reals(const CellView& cells, double* value, Ints& irregular) {
    constexpr std::size_t most_digits = 300;  // Python refuses whole numbers that no float can hold
    const char* last = cells.text.data() + cells.text.size();
    for (int64_t row = 0; row < cells.size(); ++row) {
        cells.expect(row);
        const Kind kind = cells.kind(row);
        value[row] = std::numeric_limits<double>::quiet_NaN();
        const std::string_view cell = cells.at(row);
        if (kind == MISSING || (kind == PLAIN && cell.empty())) continue;
        double number = 0;
        const char *begin = cell.data(), *end = begin + cell.size();
        const bool is_whole_zero = kind == LITERAL && cell == "-0";  // Python's whole numbers have no negative zero
        const bool fits = (kind == PLAIN || kind == LITERAL) && cell.size() < most_digits && !is_whole_zero &&
                          (last - end > PADDING ? quick_real(begin, end, number) : real_number(begin, end, number));
        if (fits)
            value[row] = number;
        else
            irregular.push_back(row);
    }
}

bool unescape(std::string_view text, std::string& out) {
    bool is_whole = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t mark = std::min(text.find('\\', at), text.size());
        out.append(text.substr(at, mark - at));
        if (mark == text.size()) break;
        const char letter = text[mark + 1];
        at = mark + 2;
        if (letter != 'u') {
            constexpr std::string_view letters = "bfnrt", spelled = "\b\f\n\r\t";
            const std::size_t place = letters.find(letter);
            out.push_back(place == std::string_view::npos ? letter : spelled[place]);
            continue;
        }
        unsigned point = code_unit(text.data() + at);
        at += 4;
        if (point >= 0xD800 && point < 0xDC00 && text.size() - at >= 6 && text[at] == '\\' && text[at + 1] == 'u') {
            const unsigned low = code_unit(text.data() + at + 2);
            if (low >= 0xDC00 && low < 0xE000) {
                point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
                at += 6;
            }
        }
        is_whole = is_whole && (point < 0xD800 || point >= 0xE000);
        encode(point, out);
    }
    return is_whole;
}

void undouble(std::string_view text, std::string& out) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t mark = text.find('"', at);
        if (mark == std::string_view::npos) {
            out.append(text.substr(at));
            return;
        }
        out.append(text.substr(at, mark + 1 - at));
        at = mark + 2;
    }
}

void cell_texts(const CellView& cells, int64_t* code, CellTexts& texts, Ints& irregular) {
    const char* last = cells.text.data() + cells.text.size();
    std::string_view previous;
    int64_t previous_code = -1;
    Kind previous_kind = MISSING;
    const auto is_previous = [&](std::string_view cell) {
        if (cell.size() != previous.size()) return false;
        if (cell.size() > 8 || last - std::max(cell.data(), previous.data()) < 8) return cell == previous;
        const auto size = static_cast<int64_t>(cell.size());
        return first_bytes(eight_bytes(cell.data()) ^ eight_bytes(previous.data()), size) == 0;
    };
    for (int64_t row = 0; row < cells.size(); ++row) {
        cells.expect(row);
        const Kind kind = cells.kind(row);
        const std::string_view cell = cells.at(row);
        if (previous_code >= 0 && kind == previous_kind && is_previous(cell)) {
            code[row] = previous_code;
            continue;
        }
        code[row] = -1;
        const std::size_t begin = texts.text.size();
        bool is_text = !cell.empty();
        if (kind == PLAIN || (kind == LITERAL && spells_whole(cell)))
            texts.text.append(cell);
        else if (kind == ESCAPED)
            is_text = unescape(cell, texts.text);
        else if (kind == DOUBLED)
            undouble(cell, texts.text);
        else
            is_text = false;
        if (is_text) {
            const int64_t before = texts.names.count();
            code[row] = texts.names.code(texts.text.data(), static_cast<int64_t>(begin),
                                         static_cast<int64_t>(texts.text.size()), false);
            if (texts.names.count() == before) texts.text.resize(begin);
            previous = cell;
            previous_code = code[row];
            previous_kind = kind;
        } else {
            texts.text.resize(begin);
            irregular.push_back(row);
        }
    }
}

bool view_texts(std::string_view views, const std::vector<std::string_view>& buffers, std::string& text, Ints& packed) {
    constexpr std::size_t width = 16;
    packed.resize(views.size() / width * 2);
    text.reserve(packed.size() * 4);  // most ids have about eight bytes
    for (std::size_t row = 0; row < packed.size() / 2; ++row) {
        const char* view = views.data() + width * row;
        int32_t fields[4];  // size, first bytes, buffer, start
        std::memcpy(fields, view, width);
        if (fields[0] < 0) return false;
        const auto size = static_cast<std::size_t>(fields[0]);
        const char* from = view + 4;
        if (size > 12) {
            if (fields[2] < 0 || static_cast<std::size_t>(fields[2]) >= buffers.size() || fields[3] < 0) return false;
            const std::string_view buffer = buffers[static_cast<std::size_t>(fields[2])];
            const auto start = static_cast<std::size_t>(fields[3]);
            if (start > buffer.size() || size > buffer.size() - start) return false;
            from = buffer.data() + start;
        }
        packed[2 * row] = static_cast<int64_t>(text.size());
        packed[2 * row + 1] = static_cast<int64_t>(size) << 3 | PLAIN;
        text.append(from, size);
    }
    return true;
}

TokenBytes token_bytes(const CellView& cells) {
    TokenBytes bytes;
    const char* before = cells.size() ? cells.at(0).data() : nullptr;
    for (int64_t row = 0; row < cells.size(); ++row) {
        cells.expect(row);
        const Kind kind = cells.kind(row);
        const std::string_view cell = cells.at(row);
        if (!is_token(cell) || (kind != PLAIN && (kind != LITERAL || !spells_whole(cell)))) return {-1, false};
        bytes.count += static_cast<int64_t>(cell.size());
        bytes.adjacent &= cell.data() == before;
        before = cell.data() + cell.size();
    }
    return bytes;
}

void copy_tokens(const CellView& cells, int64_t bytes, char* text, uint64_t* key, int64_t* start) {
    const char* end = cells.text.data() + cells.text.size();
    int64_t to = text || !cells.size() ? 0 : cells.at(0).data() - cells.text.data();
    for (int64_t row = 0; row < cells.size(); ++row) {
        cells.expect(row);
        const std::string_view cell = cells.at(row);
        const auto size = static_cast<int64_t>(cell.size());
        const bool readable = end - cell.data() >= 8;
        key[row] = token_key(cell.data(), size, readable);
        start[row] = to;
        if (!text) {
            to += size;
            continue;
        }
        if (readable && size <= 8 && bytes - to >= 8)  // what follows is overwritten
            std::memcpy(text + to, cell.data(), 8);
        else
            std::memcpy(text + to, cell.data(), cell.size());
        to += size;
    }
    start[cells.size()] = to;
}

void cell_lengths(const CellView& cells, const int64_t* expected, int64_t* length) {
    for (int64_t row = 0; row < cells.size(); ++row) {
        cells.expect(row);
        const Kind kind = cells.kind(row);
        const std::string_view cell = cells.at(row);
        length[row] = -1;
        if (kind == MISSING || kind == LITERAL || cell.empty()) continue;
        const auto bytes = static_cast<int64_t>(cell.size());
        if (expected && expected[row] > bytes) {  // a text has no more characters than bytes, even if it is not UTF-8
            length[row] = bytes;
            continue;
        }
        length[row] = kind == ESCAPED ? string_characters(cell) : characters(cell);
        if (kind == DOUBLED) length[row] -= std::count(cell.begin(), cell.end(), '"') / 2;
    }
}

Ints cell_codes(const CellView& cells, int64_t* code) {
    Names names[5];
    Ints of_kind[5], first;
    for (int64_t row = 0; row < cells.size(); ++row) {
        const Kind kind = cells.kind(row);
        const std::string_view cell = cells.at(row);
        const int64_t start = cell.data() - cells.text.data();
        const int64_t own =
            names[kind].code(cells.text.data(), start, start + static_cast<int64_t>(cell.size()), false);
        if (own == static_cast<int64_t>(of_kind[kind].size())) {
            of_kind[kind].push_back(static_cast<int64_t>(first.size()));
            first.push_back(row);
        }
        code[row] = of_kind[kind][static_cast<std::size_t>(own)];
    }
    return first;
}

}  // namespace partwise
