// Readers: the bytes of a text file to columns, and the lines that cannot be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"

namespace partwise {

// A line that could not be read: the column it fails in (-1: its number of columns) and the text there.
struct Problem {
    int64_t line;
    int64_t column;
    std::string text;
};

// A column of numbers, reserved once for all lines there can be: growing one by one would be most of the work.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(int64_t room) : data_(new T[static_cast<std::size_t>(room > 0 ? room : 1)]) {}
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
    void resize(int64_t size) { size_ = size; }  // within the room

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
};

// Lines of blank-separated columns. A letter per column says its kind: s string (coded), d string (left as a token), n
// whole number from 0, o the same or else -1, i whole number, f number, - not wanted. Empty lines
// are passed over.
// `lines` is how many lines there are, if that is known.
Columns read_columns(std::string_view text, std::string_view kinds, int64_t lines = -1);

// Lines "query Q0 doc relevant-chars length bep offset:length ...".
struct Passages {
    std::vector<int64_t> query, doc;  // codes
    Names query_names, doc_names;
    std::vector<int64_t> relevant, length, bep, lines;
    std::vector<int64_t> row_of, start, size;  // of each passage
    std::vector<Problem> problems;
};

Passages read_passages(std::string_view text);

// What a text is made of: all ASCII, well-formed UTF-8, with a NUL byte somewhere.
struct Content {
    bool ascii;
    bool utf8;
    bool nul;
};

Content content_of(std::string_view text);

// The shapes of lines that are not empty: number, columns, and whether the last (1) and the one before (2) begin with /.
struct Shapes {
    std::vector<int64_t> line, columns, slashes;
};

Shapes line_shapes(std::string_view text);

// Where the last stretch of whole lines begins that have the same first column; 0 if all have. An unfinished line
// belongs to it.
int64_t last_query(std::string_view text);

}  // namespace partwise
