// Readers: from the bytes of a text file to columns and a list of the lines that cannot be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"

namespace partwise {

// A line that could not be read: the offending column (-1 if the number of columns is wrong) and its text.
struct Problem {
    int64_t line;
    int64_t column;
    std::string text;
};

// A column of numbers, allocated once for the largest possible number of lines: growing it row by row would dominate the
// running time.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(int64_t capacity) : data_(new T[static_cast<std::size_t>(capacity > 0 ? capacity : 1)]) {}
    Buffer(Buffer&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr; }
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { delete[] data_; }

    T& operator[](int64_t at) { return data_[at]; }
    const T& operator[](int64_t at) const { return data_[at]; }
    T* data() { return data_; }
    int64_t size() const { return size_; }
    void resize(int64_t size) { size_ = size; }  // at most the capacity

    T* release() {
        T* data = data_;
        data_ = nullptr;
        return data;
    }

  private:
    T* data_ = nullptr;
    int64_t size_ = 0;
};

struct Column {
    char kind = '-';
    Buffer<int64_t> numbers;  // whole numbers, the codes of strings, or where tokens start
    Buffer<double> reals;
    Buffer<uint64_t> keys;  // of tokens
    Names names;            // of strings
};

struct Columns {
    std::vector<Column> columns;
    Buffer<int64_t> lines;
    std::vector<Problem> problems;
    int64_t with_more_text = 0;  // lines of a TREC run with text after the run tag
};

// Reads lines of blank-separated columns. `kinds` has a letter per column: s string (coded), d string (left as a token), n
// non-negative integer, o the same with -1 for anything else, i integer, f number, - ignored. Empty lines and comments,
// which begin with #, are skipped. `lines` is the number of lines if it is known.
Columns read_columns(std::string_view text, std::string_view kinds, int64_t lines = -1);

// Reads lines "query Q0 doc relevant-chars length bep offset:length ...".
struct Passages {
    std::vector<int64_t> query, doc;  // codes
    Names query_names, doc_names;
    std::vector<int64_t> relevant, length, bep, lines;
    std::vector<int64_t> row_of, start, size;  // of each passage
    std::vector<Problem> problems;
};

Passages read_passages(std::string_view text);

// Whether a text is all ASCII, is well-formed UTF-8, and contains a NUL byte.
struct Content {
    bool ascii;
    bool utf8;
    bool nul;
};

Content content_of(std::string_view text);

// For each line that is neither empty nor a comment its number, its number of columns, and whether the last column (1) and the one before it (2)
// begin with a slash.
struct Shapes {
    std::vector<int64_t> line, columns, slashes;
};

Shapes line_shapes(std::string_view text);

// The start of the last stretch of complete lines with the same first column; 0 if all lines have the same. An incomplete
// last line belongs to the stretch.
int64_t last_query(std::string_view text);

}  // namespace partwise
