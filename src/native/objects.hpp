// Python objects of built-in types, read without running Python code: lists, strings, and distinct strings.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "module.hpp"
#include "names.hpp"

namespace partwise {

inline bool is_list(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

// The size may change while a function in Python runs, so it is asked for each item.
inline PyObject* item_at(PyObject* list, Py_ssize_t i) {
    return PyList_CheckExact(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
}
inline Py_ssize_t size_of(PyObject* list) {
    return PyList_CheckExact(list) ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list);
}

inline bool has_half_character(PyObject* text) {
    const Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    const int kind = static_cast<int>(PyUnicode_KIND(text));
    if (kind == PyUnicode_1BYTE_KIND) return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
        const Py_UCS4 character = PyUnicode_READ(kind, PyUnicode_DATA(text), i);
        if (0xD800 <= character && character <= 0xDFFF) return true;
    }
    return false;
}

inline bool is_ready(PyObject* text) {
#if PY_VERSION_HEX < 0x030C0000
    return PyUnicode_IS_READY(text);
#else
    return text != nullptr;
#endif
}

inline bool are_equal(PyObject* a, PyObject* b) {
    const Py_ssize_t size = PyUnicode_GET_LENGTH(a);
    const auto kind = PyUnicode_KIND(a);
    return size == PyUnicode_GET_LENGTH(b) && kind == PyUnicode_KIND(b) &&
           std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b),
                       static_cast<std::size_t>(size) * static_cast<std::size_t>(kind)) == 0;
}

// Whether two objects are strings and equal.
inline bool are_equal_strings(PyObject* a, PyObject* b) {
    return PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b) && is_ready(a) && is_ready(b) && are_equal(a, b);
}

// The digits of a whole number of 64 bits; null for any other object.
inline nb::object digits_of(PyObject* cell) {
    if (!PyLong_CheckExact(cell)) return {};
    int overflow;
    (void)PyLong_AsLongLongAndOverflow(cell, &overflow);
    if (overflow) return {};
    nb::object digits = nb::steal(PyObject_Str(cell));
    if (!digits.is_valid()) nb::raise_python_error();
    return digits;
}

// Loads a string into the cache: its characters may be in the line after that of its type.
inline void prefetch_text(PyObject* text) {
    prefetch(text);
    prefetch(reinterpret_cast<const char*>(text) + 48);
}

// Distinct strings, numbered in the order in which they first occur.
class PARTWISE_HIDDEN Texts {
  public:
    // The code of a string; -1 if it is empty or has half a character.
    int64_t code(PyObject* text) {
        const auto hash = static_cast<std::size_t>(PyObject_Hash(text));
        if (2 * (texts_.size() + 1) > slots_.size()) grow();
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at].code >= 0; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].hash != hash) continue;
            PyObject* other = texts_[static_cast<std::size_t>(slots_[at].code)].ptr();
            if (other == text || are_equal(other, text)) return slots_[at].code;
        }
        if (PyUnicode_GET_LENGTH(text) == 0 || has_half_character(text)) return -1;
        slots_[at] = {hash, static_cast<int64_t>(texts_.size())};
        texts_.push_back(nb::borrow(text));
        return slots_[at].code;
    }

    // The code of a cell with a string or a whole number of 64 bits; -1 for any other.
    int64_t code_of_cell(PyObject* cell) {
        if (PyUnicode_CheckExact(cell)) return is_ready(cell) ? code(cell) : -1;
        const nb::object digits = digits_of(cell);
        return digits.is_valid() ? code(digits.ptr()) : -1;
    }

    // Loads the slot where a string is looked up first.
    void load(PyObject* text) const {
        if (!slots_.empty()) prefetch(&slots_[static_cast<std::size_t>(PyObject_Hash(text)) & (slots_.size() - 1)]);
    }

    // The string of a code.
    PyObject* at(int64_t code) const { return texts_[static_cast<std::size_t>(code)].ptr(); }

    // The strings; there are none here afterwards.
    nb::list take_names() {
        auto names = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(texts_.size())));
        if (!names.is_valid()) nb::raise_python_error();
        Py_ssize_t code = 0;
        for (nb::object& text : texts_) PyList_SET_ITEM(names.ptr(), code++, text.release().ptr());
        *this = Texts();
        return names;
    }

  private:
    struct Slot {
        std::size_t hash;
        int64_t code;  // -1: free
    };

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : 4 * slots_.size(), Slot{0, -1});
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.code < 0) continue;
            std::size_t at = slot.hash & (slots_.size() - 1);
            while (slots_[at].code >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<nb::object> texts_;
};

// Strings in UTF-8, one after another.
class Tokens {
  public:
    std::size_t size() const { return ends_.size(); }
    void reserve(std::size_t size) { ends_.reserve(size); }

    // Adds a cell if it is a string that is a token (see is_token).
    bool add(PyObject* cell) {
        if (!PyUnicode_CheckExact(cell) || !is_ready(cell)) return false;
        const std::size_t before = text_.size();
        if (PyUnicode_IS_ASCII(cell)) {
            const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(cell));
            text_.append(static_cast<const char*>(PyUnicode_DATA(cell)), size);
        } else {
            if (has_half_character(cell)) return false;
            const nb::object bytes = nb::steal(PyUnicode_AsUTF8String(cell));
            if (!bytes.is_valid()) nb::raise_python_error();
            text_.append(PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
        }
        if (!is_token(std::string_view(text_).substr(before))) {
            text_.resize(before);
            return false;
        }
        ends_.push_back(static_cast<int64_t>(text_.size()));
        return true;
    }

    nb::object string(std::size_t row) const {
        const int64_t start = row ? ends_[row - 1] : 0;
        nb::object string = nb::steal(PyUnicode_DecodeUTF8(text_.data() + start, ends_[row] - start, nullptr));
        if (!string.is_valid()) nb::raise_python_error();
        return string;
    }

    // (the texts, the key of each, their edges)
    nb::tuple columns() const {
        auto key = unset<uint64_t>(size());
        auto edge = unset<int64_t>(size());
        const auto end = static_cast<int64_t>(text_.size());
        int64_t start = edge[0] = 0;
        for (std::size_t row = 0; row < size(); ++row) {
            key[row] = token_key(text_.data() + start, ends_[row] - start, end - start >= 8);
            start = edge[row + 1] = ends_[row];
        }
        return nb::make_tuple(nb::bytes(text_.data(), text_.size()), array(key.release(), size()),
                              array(edge.release(), size() + 1));
    }

  private:
    std::string text_;
    std::vector<int64_t> ends_;
};

}  // namespace partwise
