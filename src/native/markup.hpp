// From XML to columns: the elements of a document in preorder, each with its span of the document's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spans.hpp"

namespace partwise {

struct Markup {
    Ints tag;  // numbers of names
    Ints parent;  // -1 for the root
    Ints depth;
    Ints start;  // in characters of the text
    Ints end;
    std::vector<std::string> names;  // local names, in the order in which they first occur
    std::string text;  // of all elements
};

// Reads UTF-8 that is known to be well-formed XML. Comments and processing instructions are left out, CDATA is text, line
// ends become \n, the five escapes of XML and numeric references become their characters. Nothing if the source has a
// document type with declarations, any other entity, or is not well-formed in a way that this reader notices.
std::optional<Markup> read_markup(std::string_view source);

}  // namespace partwise
