// Whether XML is well-formed, as far as that is simple to tell while it is read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace partwise {

// The code of the character that an escape such as amp or #233 (without & and ;) means; 0 if it is none, or not known.
uint32_t escaped_character(std::string_view name);

// Follows a source from its beginning to its end. It is kept to as long as all that was seen is certainly well-formed, with
// names of ASCII, and no limit of libxml2 is near; otherwise another parser must tell. A source that keeps to it is accepted
// by libxml2 without an error. Once it is not kept to, nothing more is looked at.
class Grammar {
  public:
    explicit Grammar(std::string_view source);

    bool is_kept() const { return is_kept_; }
    bool is_ascii() const { return is_ascii_; }
    bool is_utf8() const { return is_utf8_; }

    // Parts of the source, in their order, from a position to the one after them.
    void blank(std::size_t at, std::size_t end);  // what is outside of the root
    void text(std::size_t at, std::size_t end);  // without its escapes
    void character(uint32_t code);  // of an escape
    void comment(std::size_t at, std::size_t end);
    void instruction(std::size_t at, std::size_t end);
    void document_type(std::size_t at, std::size_t bracket, bool is_after_root);

    // The position of the bracket that closes a tag, NOWHERE if the tag is not certainly well-formed. `depth` is the number of
    // open elements, `name` becomes the name of the new one or is that of the innermost.
    std::size_t start_tag(std::size_t at, std::size_t depth, std::string_view& name);
    std::size_t end_tag(std::size_t at, std::string_view name);
    void closed(std::size_t depth);

  private:
    struct Name {
        std::string_view prefix, local;
    };
    struct Declared {
        std::string_view prefix;
        std::size_t depth;
    };

    bool is(std::size_t at, char sign) const { return at < source_.size() && source_[at] == sign; }
    std::size_t after_blanks(std::size_t at) const;
    std::size_t after_name(std::size_t at) const;
    bool read_name(std::size_t& at, Name& name) const;
    bool read_value(std::size_t& at, std::string_view& value) const;
    bool read_literal(std::size_t& at, std::string_view& value) const;
    bool read_attribute(std::size_t& at, std::size_t depth);
    bool is_declaration(std::size_t at, std::size_t end) const;
    bool is_type(std::size_t at, std::size_t bracket) const;
    bool is_known(std::string_view prefix) const;

    std::string_view source_;
    std::vector<Declared> declared_;  // prefixes of names
    std::vector<Name> attributes_;  // of the current tag
    std::size_t cdata_end_ = 0;  // the next ]]>
    bool is_kept_, is_ascii_, is_utf8_, has_type_ = false;
};

}  // namespace partwise
