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

    nb::list names() const {
        nb::list names;
        for (const nb::object& text : texts_) names.append(text);
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

}  // namespace partwise
