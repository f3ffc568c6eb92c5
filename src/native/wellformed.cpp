#include "wellformed.hpp"

#include <algorithm>
#include <array>

#include "columns.hpp"

namespace partwise {

namespace {

constexpr std::size_t NOWHERE = std::string_view::npos;
// Far below what libxml2 allows: depth 256, 50,000 bytes of a name, 10,000,000 of a text and of all names.
constexpr std::size_t DEEPEST = 200, LONGEST_NAME = 1000, LARGEST = 2500000;
// Names are compared with each other, one by one; more than so many are left to the other parser.
constexpr std::size_t MOST_ATTRIBUTES = 32, MOST_PREFIXES = 32;

enum Kind : uint8_t { NAME_START = 1, NAME = 2, BLANK = 4, PUBLIC_ID = 8, ADDRESS = 16 };

using Kinds = std::array<uint8_t, 256>;

constexpr Kinds kinds_of_bytes() {
    Kinds kinds{};
    const auto add = [&](std::string_view signs, int kind) {
        for (const char sign : signs) {
            uint8_t& of_sign = kinds[static_cast<unsigned char>(sign)];
            of_sign = static_cast<uint8_t>(of_sign | kind);
        }
    };
    add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", NAME_START | NAME | PUBLIC_ID | ADDRESS);
    add("_", NAME_START | NAME | PUBLIC_ID | ADDRESS);
    add("0123456789.-", NAME | PUBLIC_ID | ADDRESS);
    add("/", PUBLIC_ID | ADDRESS);
    add(" \t\r\n", BLANK);
    add(" \r\n'()+,:=?;!*#@$%", PUBLIC_ID);
    return kinds;
}

constexpr Kinds KINDS = kinds_of_bytes();

bool is_kind(char c, uint8_t kind) { return KINDS[static_cast<unsigned char>(c)] & kind; }

bool all_of_kind(std::string_view text, uint8_t kind) {
    return std::all_of(text.begin(), text.end(), [&](char c) { return is_kind(c, kind); });
}

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

bool equals_without_case(std::string_view text, std::string_view lower) {
    return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
    });
}

// Whether a character may occur in XML.
bool is_allowed(uint32_t code) {
    return code >= 0x20 ? code != 0xFFFE && code != 0xFFFF : code == '\t' || code == '\n' || code == '\r';
}

// Whether it is certainly an address that a namespace may have.
bool is_address(std::string_view value) {
    for (const std::string_view reserved : {"http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"})
        if (starts_with(value, reserved)) return false;
    const std::size_t scheme = starts_with(value, "http://") ? 7 : starts_with(value, "https://") ? 8 : 0;
    if (scheme == 0 || value.size() == scheme || !is_kind(value[scheme], NAME_START)) return false;
    return all_of_kind(value.substr(scheme), ADDRESS);
}

bool has_only_allowed_bytes(std::string_view source) {
    unsigned char forbidden = 0;
    for (const char c : source) {
        const auto byte = static_cast<unsigned char>(c);
        forbidden |= static_cast<unsigned char>((byte < 0x20) & (byte != '\t') & (byte != '\n') & (byte != '\r'));
    }
    return !forbidden;
}

}  // namespace

uint32_t escaped_character(std::string_view name) {
    if (name == "amp") return '&';
    if (name == "lt") return '<';
    if (name == "gt") return '>';
    if (name == "quot") return '"';
    if (name == "apos") return '\'';
    if (name.size() < 2 || name[0] != '#') return 0;
    const bool is_hexadecimal = name[1] == 'x';
    const uint32_t base = is_hexadecimal ? 16 : 10;
    name.remove_prefix(is_hexadecimal ? 2 : 1);
    if (name.empty()) return 0;
    uint32_t code = 0;
    for (const char c : name) {
        const char lower = static_cast<char>(c | 0x20);
        uint32_t digit = 99;
        if (c >= '0' && c <= '9') digit = static_cast<uint32_t>(c - '0');
        if (lower >= 'a' && lower <= 'f') digit = static_cast<uint32_t>(lower - 'a' + 10);
        if (digit >= base) return 0;
        code = code * base + digit;
        if (code > 0x10FFFF) return 0;
    }
    return code >= 0xD800 && code <= 0xDFFF ? 0 : code;
}

Grammar::Grammar(std::string_view source) : source_(source) {
    const Content content = content_of(source);
    is_ascii_ = content.ascii;
    is_utf8_ = content.utf8;
    is_kept_ = is_utf8_ && source.size() <= LARGEST && has_only_allowed_bytes(source);
    if (is_kept_ && !is_ascii_)
        is_kept_ = source.find("\xEF\xBF\xBE") == NOWHERE && source.find("\xEF\xBF\xBF") == NOWHERE;
    if (is_kept_) cdata_end_ = source.find("]]>");
}

void Grammar::blank(std::size_t at, std::size_t end) {
    if (is_kept_) is_kept_ = all_of_kind(source_.substr(at, end - at), BLANK);
}

void Grammar::text(std::size_t at, std::size_t end) {
    if (!is_kept_) return;
    if (cdata_end_ < at) cdata_end_ = source_.find("]]>", at);
    if (cdata_end_ < end) is_kept_ = false;
}

void Grammar::character(uint32_t code) { is_kept_ = is_kept_ && is_allowed(code); }

void Grammar::comment(std::size_t at, std::size_t end) {
    if (is_kept_) is_kept_ = source_.find("--", at + 4) == end - 3;
}

void Grammar::instruction(std::size_t at, std::size_t end) {
    if (!is_kept_) return;
    const std::size_t name_end = after_name(at + 2);
    const std::string_view name = source_.substr(at + 2, name_end - at - 2);
    if (name == "xml")
        is_kept_ = at == 0 && is_declaration(name_end, end - 2);
    else
        is_kept_ = !name.empty() && name.size() <= LONGEST_NAME && !equals_without_case(name, "xml") &&
                   (name_end == end - 2 || is_kind(source_[name_end], BLANK));
}

// Whether what is after the name of an XML declaration is certainly right.
bool Grammar::is_declaration(std::size_t at, std::size_t end) const {
    constexpr std::string_view names[] = {"version", "encoding", "standalone"};
    std::size_t next = 0;
    while (true) {
        const std::size_t name_at = after_blanks(at);
        if (name_at == end) return next > 0;
        if (name_at == at) return false;
        const std::size_t name_end = after_name(name_at);
        const std::string_view name = source_.substr(name_at, name_end - name_at);
        while (next < 3 && names[next] != name) next = next == 0 ? 3 : next + 1;  // a version must be first
        if (next == 3 || !is(name_end, '=')) return false;
        std::string_view value;
        at = name_end + 1;
        if (!read_literal(at, value) || at > end) return false;
        const bool is_right = next == 0   ? value == "1.0"
                              : next == 1 ? equals_without_case(value, "utf-8")
                                          : value == "yes" || value == "no";
        if (!is_right) return false;
        ++next;
    }
}

void Grammar::document_type(std::size_t at, std::size_t bracket, bool is_after_root) {
    if (!is_kept_) return;
    is_kept_ = !is_after_root && !has_type_ && is_type(at, bracket);
    has_type_ = true;
}

// Whether a document type without declarations is certainly right.
bool Grammar::is_type(std::size_t at, std::size_t bracket) const {
    constexpr std::string_view start = "<!DOCTYPE";
    if (source_.compare(at, start.size(), start) != 0) return false;
    const std::size_t name_at = after_blanks(at + start.size());
    const std::size_t name_end = after_name(name_at);
    if (name_at == at + start.size() || name_end == name_at || name_end - name_at > LONGEST_NAME) return false;
    std::size_t next = after_blanks(name_end);
    if (next == bracket) return true;
    const bool is_public = source_.compare(next, 6, "PUBLIC") == 0;
    if (next == name_end || (!is_public && source_.compare(next, 6, "SYSTEM") != 0)) return false;
    std::string_view value;
    next += 6;
    for (int left = is_public ? 2 : 1; left > 0; --left) {
        const std::size_t literal = after_blanks(next);
        if (literal == next) return false;
        next = literal;
        if (!read_literal(next, value) || (left == 2 && !all_of_kind(value, PUBLIC_ID))) return false;
    }
    return after_blanks(next) == bracket;
}

std::size_t Grammar::start_tag(std::size_t at, std::size_t depth, std::string_view& name) {
    if (!is_kept_) return NOWHERE;
    is_kept_ = false;  // until the tag has been read
    Name parts;
    const std::size_t start = ++at;
    if (depth > DEEPEST || !read_name(at, parts)) return NOWHERE;
    name = source_.substr(start, at - start);
    attributes_.clear();
    while (!is(at, '>')) {
        const std::size_t next = after_blanks(at);
        if (is(next, '>') || (is(next, '/') && is(next + 1, '>'))) {
            at = next + (source_[next] == '/');
            break;
        }
        if (next == at) return NOWHERE;
        at = next;
        if (!read_attribute(at, depth)) return NOWHERE;
    }
    if (!is(at, '>') || !is_known(parts.prefix)) return NOWHERE;
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        const Name& one = attributes_[i];
        if (one.prefix != "xmlns" && !is_known(one.prefix)) return NOWHERE;
        // the same local name with two prefixes may be one name
        for (std::size_t other = 0; other < i; ++other)
            if (attributes_[other].local == one.local && attributes_[other].prefix.empty() == one.prefix.empty()) return NOWHERE;
    }
    is_kept_ = true;
    return at;
}

bool Grammar::read_attribute(std::size_t& at, std::size_t depth) {
    Name name;
    if (attributes_.size() == MOST_ATTRIBUTES || !read_name(at, name)) return false;
    at = after_blanks(at);
    if (!is(at, '=')) return false;
    at = after_blanks(at + 1);
    std::string_view value;
    if (!read_value(at, value)) return false;
    attributes_.push_back(name);
    const bool is_default = name.prefix.empty() && name.local == "xmlns";
    if (!is_default && name.prefix != "xmlns") return true;
    if (!is_address(value)) return false;
    if (is_default) return true;
    if (declared_.size() == MOST_PREFIXES || name.local == "xml" || name.local == "xmlns") return false;
    declared_.push_back({name.local, depth});
    return true;
}

std::size_t Grammar::end_tag(std::size_t at, std::string_view name) {
    if (!is_kept_) return NOWHERE;
    is_kept_ = source_.compare(at + 2, name.size(), name) == 0;
    if (!is_kept_) return NOWHERE;
    const std::size_t bracket = after_blanks(at + 2 + name.size());
    is_kept_ = is(bracket, '>');
    return is_kept_ ? bracket : NOWHERE;
}

void Grammar::closed(std::size_t depth) {
    while (!declared_.empty() && declared_.back().depth >= depth) declared_.pop_back();
}

std::size_t Grammar::after_blanks(std::size_t at) const {
    while (at < source_.size() && is_kind(source_[at], BLANK)) ++at;
    return at;
}

// The position after a name without a colon; the same if there is none.
std::size_t Grammar::after_name(std::size_t at) const {
    if (at >= source_.size() || !is_kind(source_[at], NAME_START)) return at;
    while (at < source_.size() && is_kind(source_[at], NAME)) ++at;
    return at;
}

// Reads a name that may have a prefix.
bool Grammar::read_name(std::size_t& at, Name& name) const {
    std::size_t end = after_name(at);
    if (end == at || end - at > LONGEST_NAME) return false;
    name = {{}, source_.substr(at, end - at)};
    if (is(end, ':')) {
        const std::size_t local = end + 1;
        end = after_name(local);
        if (end == local || end - local > LONGEST_NAME || is(end, ':')) return false;
        name = {name.local, source_.substr(local, end - local)};
    }
    at = end;
    return true;
}

// Reads what is between quotes.
bool Grammar::read_literal(std::size_t& at, std::string_view& value) const {
    if (!is(at, '"') && !is(at, '\'')) return false;
    const std::size_t end = source_.find(source_[at], at + 1);
    if (end == NOWHERE) return false;
    value = source_.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
}

// Reads the value of an attribute.
bool Grammar::read_value(std::size_t& at, std::string_view& value) const {
    if (!is(at, '"') && !is(at, '\'')) return false;
    const char quote = source_[at];
    const std::size_t start = ++at;
    for (; at < source_.size() && source_[at] != quote; ++at) {
        if (source_[at] == '<') return false;
        if (source_[at] != '&') continue;
        const std::size_t end = std::min(source_.find(';', at), source_.size());
        const uint32_t code = escaped_character(source_.substr(at + 1, end - at - 1));
        if (code == 0 || !is_allowed(code)) return false;
        at = end;
    }
    if (at >= source_.size()) return false;
    value = source_.substr(start, at - start);
    ++at;
    return true;
}

bool Grammar::is_known(std::string_view prefix) const {
    if (prefix.empty() || prefix == "xml") return true;
    return std::any_of(declared_.begin(), declared_.end(), [&](const Declared& one) { return one.prefix == prefix; });
}

}  // namespace partwise
