#include "markup.hpp"

#include <algorithm>
#include <cstring>

#include "columns.hpp"
#include "wellformed.hpp"

namespace partwise {

namespace {

constexpr std::size_t NOWHERE = std::string_view::npos;
constexpr std::size_t BYTES_OF_NODE = 40;  // of source, in articles with much markup

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

// A sign that occurs here and there: where it is next. Asked for increasing positions, it goes through the source once.
class Next {
  public:
    Next(std::string_view source, char sign) : source_(source), sign_(sign), at_(source.find(sign)) {}

    // The first one from a position on, NOWHERE if there is none.
    std::size_t from(std::size_t at) {
        if (at_ < at) at_ = source_.find(sign_, at);
        return at_;
    }

  private:
    std::string_view source_;
    char sign_;
    std::size_t at_;
};

int64_t characters_in(std::string_view piece) {
    int64_t characters = 0;
    for (const char c : piece) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return characters;
}

}  // namespace

// Reads one document into the columns of several.
class MarkupReader {
  public:
    MarkupReader(std::string_view source, Markup& markup)
        : source_(source), markup_(markup), grammar_(source), escape_(source, '&'), return_(source, '\r') {
        is_ascii_ = grammar_.is_ascii();
    }

    Reading read() {
        if (!grammar_.is_utf8()) return Reading::none;
        first_ = markup_.tag.size();
        std::size_t at = 0;
        while (at < source_.size()) {
            const std::size_t tag = std::min(source_.find('<', at), source_.size());
            if (open_.empty()) {
                grammar_.blank(at, tag);
            } else if (!add_text(at, tag)) {
                return Reading::none;
            }
            if (tag == source_.size()) break;
            at = markup_at(tag);
            if (at == NOWHERE) return Reading::none;
        }
        if (!open_.empty() || markup_.tag.size() == first_) return Reading::none;
        return grammar_.is_kept() ? Reading::all : Reading::some;
    }

  private:
    // Reads what begins with this angle bracket; the position after it, NOWHERE if it is not read.
    std::size_t markup_at(std::size_t tag) {
        const char second = tag + 1 < source_.size() ? source_[tag + 1] : '\0';
        if (second == '/') return end_tag(tag);
        if (second == '?') {
            const std::size_t at = after(source_, tag + 2, "?>");
            if (at != NOWHERE) grammar_.instruction(tag, at);
            return at;
        }
        if (second != '!') return start_tag(tag);
        if (starts(source_, tag, "<!--")) {
            const std::size_t at = after(source_, tag + 4, "-->");
            if (at != NOWHERE) grammar_.comment(tag, at);
            return at;
        }
        if (starts(source_, tag, "<![CDATA[")) {
            const std::size_t at = after(source_, tag + 9, "]]>");
            if (at == NOWHERE || open_.empty()) return NOWHERE;
            add_lines(tag + 9, at - 3);
            return at;
        }
        const std::size_t bracket = closing_bracket(source_, tag + 1);
        if (bracket == NOWHERE || !open_.empty()) return NOWHERE;
        if (source_.substr(tag, bracket - tag).find('[') != NOWHERE) return NOWHERE;
        grammar_.document_type(tag, bracket, markup_.tag.size() > first_);
        return bracket + 1;
    }

    std::size_t start_tag(std::size_t tag) {
        std::string_view name;
        std::size_t bracket = grammar_.start_tag(tag, open_.size(), name);
        if (bracket == NOWHERE) {
            bracket = closing_bracket(source_, tag + 1);
            if (bracket == NOWHERE || bracket == tag + 1) return NOWHERE;
            const auto begin = source_.begin() + static_cast<std::ptrdiff_t>(tag) + 1, end = source_.begin() + static_cast<std::ptrdiff_t>(bracket);
            name = source_.substr(tag + 1, static_cast<std::size_t>(std::find_if(begin, end, ends_name) - begin));
        }
        if (open_.empty() && markup_.tag.size() > first_) return NOWHERE;  // a second root
        const std::size_t colon = name.rfind(':');
        markup_.tag.push_back(markup_.number_of(colon == NOWHERE ? name : name.substr(colon + 1)));
        markup_.parent.push_back(open_.empty() ? -1 : open_.back().node);
        markup_.depth.push_back(static_cast<int64_t>(open_.size()));
        markup_.start.push_back(characters_);
        markup_.end.push_back(characters_);
        open_.push_back({static_cast<int64_t>(markup_.tag.size() - first_) - 1, name});
        if (source_[bracket - 1] == '/') close();
        return bracket + 1;
    }

    std::size_t end_tag(std::size_t tag) {
        if (open_.empty()) return NOWHERE;
        std::size_t bracket = grammar_.end_tag(tag, open_.back().name);
        if (bracket == NOWHERE) bracket = closing_bracket(source_, tag + 1);
        if (bracket == NOWHERE) return NOWHERE;
        close();
        return bracket + 1;
    }

    void close() {
        markup_.end[first_ + static_cast<std::size_t>(open_.back().node)] = characters_;
        open_.pop_back();
        grammar_.closed(open_.size());
    }

    void add(std::string_view piece) {
        markup_.text.append(piece);
        characters_ += is_ascii_ ? static_cast<int64_t>(piece.size()) : characters_in(piece);
    }

    // Text of the source, whose line ends become \n.
    void add_lines(std::size_t at, std::size_t end) {
        for (std::size_t line_end = return_.from(at); line_end < end; line_end = return_.from(at)) {
            add(source_.substr(at, line_end - at));
            add("\n");
            const bool is_pair = line_end + 1 < end && source_[line_end + 1] == '\n';
            at = line_end + (is_pair ? 2 : 1);
        }
        add(source_.substr(at, end - at));
    }

    // The same with escapes; false if one is not known.
    bool add_text(std::size_t at, std::size_t end) {
        grammar_.text(at, end);
        for (std::size_t escape = escape_.from(at); escape < end; escape = escape_.from(at)) {
            add_lines(at, escape);
            const std::size_t last = source_.find(';', escape);
            if (last >= end || !add_character(source_.substr(escape + 1, last - escape - 1))) return false;
            at = last + 1;
        }
        add_lines(at, end);
        return true;
    }

    bool add_character(std::string_view name) {
        const uint32_t code = escaped_character(name);
        if (code == 0) return false;
        grammar_.character(code);
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
        markup_.text.append(encoded, size);
        ++characters_;
        return true;
    }

    struct Open {
        int64_t node;
        std::string_view name;  // with its prefix
    };

    std::string_view source_;
    Markup& markup_;
    Grammar grammar_;
    Next escape_, return_;
    std::vector<Open> open_;
    std::size_t first_ = 0;
    int64_t characters_ = 0;
    bool is_ascii_;
};

int64_t Markup::number_of(std::string_view name) {
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(name[at])); };
    const std::size_t bits = name.empty() ? 0 : 7 * byte(0) + 31 * byte(name.size() - 1) + 3 * byte(name.size() / 2) + name.size();
    Recent& recent = recent_[bits & 255];
    if (recent.number >= 0 && recent.name == name) return recent.number;
    const auto [entry, is_new] = number_of_name_.try_emplace(name, static_cast<int64_t>(names.size()));
    if (is_new) names.emplace_back(name);
    recent = {entry->first, entry->second};
    return entry->second;
}

Reading Markup::add(std::string_view source, Reading enough) {
    const std::size_t known = names.size(), before = tag.size(), text_before = text.size();
    if (tag.capacity() - before < source.size() / BYTES_OF_NODE) {  // enough for most sources, so that columns are seldom moved
        const std::size_t nodes_expected = std::max(2 * before, before + source.size() / BYTES_OF_NODE);
        for (Ints* column : {&tag, &parent, &depth, &start, &end}) column->reserve(nodes_expected);
    }
    if (text.capacity() < text.size() + source.size()) text.reserve(std::max(2 * text.capacity(), text.size() + source.size()));
    const Reading reading = MarkupReader(source, *this).read();
    if (reading < enough || reading == Reading::none) {
        for (Ints* column : {&tag, &parent, &depth, &start, &end}) column->resize(before);
        text.resize(text_before);
        for (std::size_t i = known; i < names.size(); ++i) number_of_name_.erase(names[i]);
        if (known < names.size()) std::fill(recent_.begin(), recent_.end(), Recent{});
        names.resize(known);
        return reading;
    }
    nodes.push_back(static_cast<int64_t>(tag.size()));
    texts.push_back(static_cast<int64_t>(text.size()));
    return reading;
}

}  // namespace partwise
