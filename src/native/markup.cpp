#include "markup.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace partwise {

namespace {

constexpr std::size_t NOWHERE = std::string_view::npos;

bool starts(std::string_view source, std::size_t at, std::string_view word) {
    return source.compare(at, word.size(), word) == 0;
}

// The position after the next `word`, NOWHERE if there is none.
std::size_t after(std::string_view source, std::size_t at, std::string_view word) {
    const std::size_t found = source.find(word, at);
    return found == NOWHERE ? NOWHERE : found + word.size();
}

// The position of the bracket that closes a tag or a document type; brackets between quotes do not count.
std::size_t closing_bracket(std::string_view source, std::size_t at) {
    for (; at < source.size(); ++at) {
        const char c = source[at];
        if (c == '>') return at;
        if (c == '"' || c == '\'') {
            at = source.find(c, at + 1);
            if (at == NOWHERE) return NOWHERE;
        }
    }
    return NOWHERE;
}

bool ends_name(char c) { return c == ' ' || c == '>' || c == '/' || c == '\n' || c == '\t' || c == '\r'; }

// Text in UTF-8 that knows its number of characters.
class Text {
  public:
    explicit Text(std::size_t largest) { bytes_.reserve(largest); }

    int64_t characters() const { return characters_; }
    std::string taken() { return std::move(bytes_); }

    void add(std::string_view piece) {
        bytes_.append(piece);
        for (const char c : piece) characters_ += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }

    // Text of the source, whose line ends become \n.
    void add_lines(std::string_view piece) {
        for (std::size_t line_end = piece.find('\r'); line_end != NOWHERE; line_end = piece.find('\r')) {
            add(piece.substr(0, line_end));
            add("\n");
            const bool is_pair = line_end + 1 < piece.size() && piece[line_end + 1] == '\n';
            piece.remove_prefix(line_end + (is_pair ? 2 : 1));
        }
        add(piece);
    }

    // The same with escapes; false if one is not known.
    bool add_escaped(std::string_view piece) {
        for (std::size_t escape = piece.find('&'); escape != NOWHERE; escape = piece.find('&')) {
            add_lines(piece.substr(0, escape));
            const std::size_t end = piece.find(';', escape);
            if (end == NOWHERE || !add_character(piece.substr(escape + 1, end - escape - 1))) return false;
            piece.remove_prefix(end + 1);
        }
        add_lines(piece);
        return true;
    }

  private:
    bool add_character(std::string_view name) {
        if (name == "amp") return add("&"), true;
        if (name == "lt") return add("<"), true;
        if (name == "gt") return add(">"), true;
        if (name == "quot") return add("\""), true;
        if (name == "apos") return add("'"), true;
        if (name.size() < 2 || name[0] != '#') return false;
        const bool is_hexadecimal = name[1] == 'x';
        const uint32_t base = is_hexadecimal ? 16 : 10;
        name.remove_prefix(is_hexadecimal ? 2 : 1);
        if (name.empty()) return false;
        uint32_t code = 0;
        for (const char c : name) {
            const char lower = static_cast<char>(c | 0x20);
            uint32_t digit = 99;
            if (c >= '0' && c <= '9') digit = static_cast<uint32_t>(c - '0');
            if (lower >= 'a' && lower <= 'f') digit = static_cast<uint32_t>(lower - 'a' + 10);
            if (digit >= base) return false;
            code = code * base + digit;
            if (code > 0x10FFFF) return false;
        }
        if (code == 0 || (code >= 0xD800 && code <= 0xDFFF)) return false;
        char encoded[4];
        std::size_t size = 0;
        const auto rest = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
        if (code < 0x80) {
            encoded[size++] = static_cast<char>(code);
        } else if (code < 0x800) {
            encoded[size++] = static_cast<char>(0xC0 | (code >> 6));
            encoded[size++] = rest(0);
        } else if (code < 0x10000) {
            encoded[size++] = static_cast<char>(0xE0 | (code >> 12));
            encoded[size++] = rest(6);
            encoded[size++] = rest(0);
        } else {
            encoded[size++] = static_cast<char>(0xF0 | (code >> 18));
            encoded[size++] = rest(12);
            encoded[size++] = rest(6);
            encoded[size++] = rest(0);
        }
        return add({encoded, size}), true;
    }

    std::string bytes_;
    int64_t characters_ = 0;
};

}  // namespace

std::optional<Markup> read_markup(std::string_view source) {
    Markup markup;
    Text text(source.size());
    std::unordered_map<std::string_view, int64_t> number_of_name;
    Ints open;
    const auto opened = [&](std::string_view name) {
        const std::size_t colon = name.rfind(':');
        if (colon != NOWHERE) name.remove_prefix(colon + 1);
        const auto [entry, is_new] = number_of_name.try_emplace(name, static_cast<int64_t>(markup.names.size()));
        if (is_new) markup.names.emplace_back(name);
        markup.tag.push_back(entry->second);
        markup.parent.push_back(open.empty() ? -1 : open.back());
        markup.depth.push_back(static_cast<int64_t>(open.size()));
        markup.start.push_back(text.characters());
        markup.end.push_back(text.characters());
        open.push_back(static_cast<int64_t>(markup.tag.size()) - 1);
    };
    const auto closed = [&] {
        markup.end[static_cast<std::size_t>(open.back())] = text.characters();
        open.pop_back();
    };

    std::size_t at = 0;
    while (at < source.size()) {
        const std::size_t tag = std::min(source.find('<', at), source.size());
        if (!open.empty() && !text.add_escaped(source.substr(at, tag - at))) return std::nullopt;
        if (tag == source.size()) break;
        if (starts(source, tag, "<!--")) {
            at = after(source, tag + 4, "-->");
        } else if (starts(source, tag, "<?")) {
            at = after(source, tag + 2, "?>");
        } else if (starts(source, tag, "<![CDATA[")) {
            at = after(source, tag + 9, "]]>");
            if (at == NOWHERE || open.empty()) return std::nullopt;
            text.add_lines(source.substr(tag + 9, at - 3 - (tag + 9)));
        } else {
            const std::size_t bracket = closing_bracket(source, tag + 1);
            if (bracket == NOWHERE || bracket == tag + 1) return std::nullopt;
            const std::string_view inside = source.substr(tag + 1, bracket - tag - 1);
            at = bracket + 1;
            if (inside[0] == '!') {
                if (inside.find('[') != NOWHERE || !open.empty()) return std::nullopt;
            } else if (inside[0] == '/') {
                if (open.empty()) return std::nullopt;
                closed();
            } else {
                if (open.empty() && !markup.tag.empty()) return std::nullopt;  // a second root
                const auto name_end = std::find_if(inside.begin(), inside.end(), ends_name);
                opened(inside.substr(0, static_cast<std::size_t>(name_end - inside.begin())));
                if (inside.back() == '/') closed();
            }
        }
        if (at == NOWHERE) return std::nullopt;
    }
    if (!open.empty() || markup.tag.empty()) return std::nullopt;
    markup.text = text.taken();
    return markup;
}

}  // namespace partwise
