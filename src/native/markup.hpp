// From XML to columns: the elements of documents in preorder, each with its span of its document's text.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spans.hpp"

namespace partwise {

// How much is known of a source after it was read.
enum class Reading {
    none,  // it was not read: it has declarations, other entities than those of XML, is malformed or not UTF-8
    some,  // it was read as what it is if it is well-formed, which another parser must tell
    all,   // it was read, and is well-formed: without declarations, and within the limits of libxml2
};

// The elements of several documents, one document after the other.
class Markup {
  public:
    Ints tag;  // numbers of names
    Ints parent;  // counted from 0 in each document, -1 for the root
    Ints depth;
    Ints start;  // in characters of the document's text
    Ints end;
    std::vector<std::string> names;  // local names, in the order in which they first occur
    std::string text;  // of all elements of all documents
    Ints nodes{0};  // the elements of document d are nodes[d]:nodes[d+1]
    Ints texts{0};  // its text is the bytes texts[d]:texts[d+1]

    // Reads a source, which must stay in memory: names are looked up in the sources of earlier documents. Comments and processing
    // instructions are left out, CDATA is text, line ends become \n, the five escapes of XML and numeric references become
    // their characters. The document is added if enough is known of it.
    Reading add(std::string_view source, Reading enough = Reading::some);

  private:
    friend class MarkupReader;
    int64_t number_of(std::string_view name);

    std::unordered_map<std::string_view, int64_t> number_of_name_;
    struct Recent {
        std::string_view name;
        int64_t number = -1;
    };
    std::vector<Recent> recent_{std::vector<Recent>(256)};  // by a few bits of the name, to look up most names faster
};

}  // namespace partwise
