// Binds what makes codes and numbers of cells that are Python objects.
//
// Only objects whose type is exactly a built-in one are read here, because reading these runs no Python code. Rows of all
// others are returned as irregular. The interpreter lock is held throughout.
#include <cmath>

#include "objects.hpp"

namespace partwise {
namespace {

// (codes, names, irregular rows): strings and whole numbers are regular, but not an empty string, nor half a character.
nb::tuple coded_cells(const nb::list& cells) {
    const std::size_t size = cells.size();
    auto codes = unset<int64_t>(size);
    Ints irregular;
    Texts texts;
    PyObject* last = nullptr;
    for (std::size_t row = 0; row < size; ++row) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row));
        int64_t code = -1;
        if (cell == last) {
            code = codes[row - 1];
        } else if (PyUnicode_CheckExact(cell)) {
            if (is_ready(cell)) code = texts.code(cell);
        } else if (PyLong_CheckExact(cell)) {
            int overflow;
            (void)PyLong_AsLongLongAndOverflow(cell, &overflow);
            if (!overflow) {
                const nb::object digits = nb::steal(PyObject_Str(cell));
                if (!digits.is_valid()) nb::raise_python_error();
                code = texts.code(digits.ptr());
            }
        }
        if (code < 0) irregular.push_back(static_cast<int64_t>(row));
        codes[row] = code;
        last = cell;
    }
    return nb::make_tuple(array(codes.release(), size), texts.names(), array(std::move(irregular)));
}

// Appends a string in UTF-8, or the digits of a whole number; whether this is a token (see is_token).
bool add_token(PyObject* cell, std::string& text) {
    const std::size_t before = text.size();
    nb::object held;
    if (PyLong_CheckExact(cell)) {
        int overflow;
        (void)PyLong_AsLongLongAndOverflow(cell, &overflow);
        if (overflow) return false;
        held = nb::steal(PyObject_Str(cell));
        if (!held.is_valid()) nb::raise_python_error();
        cell = held.ptr();
    }
    if (!PyUnicode_CheckExact(cell) || !is_ready(cell)) return false;
    if (PyUnicode_IS_ASCII(cell)) {
        text.append(static_cast<const char*>(PyUnicode_DATA(cell)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(cell)));
    } else {
        if (has_half_character(cell)) return false;
        const nb::object bytes = nb::steal(PyUnicode_AsUTF8String(cell));
        if (!bytes.is_valid()) nb::raise_python_error();
        text.append(PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
    }
    return is_token(std::string_view(text).substr(before));
}

// (the texts one after another, the key of each, their edges); None if a cell is not a token.
nb::object tokens_of_objects(const nb::list& cells) {
    const std::size_t size = cells.size();
    auto key = unset<uint64_t>(size);
    auto start = unset<int64_t>(size);
    std::string text;
    for (std::size_t row = 0; row < size; ++row) {
        start[row] = static_cast<int64_t>(text.size());
        if (!add_token(PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row)), text)) return nb::none();
    }
    const auto end = start[size] = static_cast<int64_t>(text.size());
    for (std::size_t row = 0; row < size; ++row)
        key[row] = token_key(text.data() + start[row], start[row + 1] - start[row], end - start[row] >= 8);
    return nb::make_tuple(nb::bytes(text.data(), text.size()), array(key.release(), size), array(start.release(), size + 1));
}

bool is_nothing(PyObject* cell) {
    return cell == Py_None || (PyUnicode_CheckExact(cell) && PyUnicode_GET_LENGTH(cell) == 0) ||
           (PyFloat_CheckExact(cell) && std::isnan(PyFloat_AS_DOUBLE(cell)));
}

// (numbers, irregular rows): whole numbers in this range, also as floats, are regular, and so is a missing cell.
nb::tuple whole_cells(const nb::list& cells, int64_t low, int64_t high, int64_t missing) {
    const std::size_t size = cells.size();
    auto values = unset<int64_t>(size);
    Ints irregular;
    for (std::size_t row = 0; row < size; ++row) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row));
        values[row] = missing;
        if (PyLong_CheckExact(cell)) {
            int overflow;
            const int64_t value = PyLong_AsLongLongAndOverflow(cell, &overflow);
            if (!overflow && low <= value && value <= high) {
                values[row] = value;
                continue;
            }
        } else if (is_nothing(cell)) {
            continue;
        } else if (PyFloat_CheckExact(cell)) {
            const double value = PyFloat_AS_DOUBLE(cell);
            if (static_cast<double>(low) <= value && value <= static_cast<double>(high) && value == std::floor(value)) {
                values[row] = static_cast<int64_t>(value);
                continue;
            }
        }
        irregular.push_back(static_cast<int64_t>(row));
    }
    return nb::make_tuple(array(values.release(), size), array(std::move(irregular)));
}

// (numbers, irregular rows): numbers are regular, and so is a missing cell, which is NaN.
nb::tuple real_cells(const nb::list& cells) {
    const std::size_t size = cells.size();
    auto values = unset<double>(size);
    Ints irregular;
    for (std::size_t row = 0; row < size; ++row) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row));
        values[row] = std::nan("");
        if (PyFloat_CheckExact(cell)) {
            values[row] = PyFloat_AS_DOUBLE(cell);
        } else if (PyLong_CheckExact(cell)) {
            int overflow;
            const int64_t value = PyLong_AsLongLongAndOverflow(cell, &overflow);
            if (overflow)
                irregular.push_back(static_cast<int64_t>(row));
            else
                values[row] = static_cast<double>(value);
        } else if (!is_nothing(cell)) {
            irregular.push_back(static_cast<int64_t>(row));
        }
    }
    return nb::make_tuple(array(values.release(), size), array(std::move(irregular)));
}

}  // namespace

void bind_object_cells(nb::module_& module) {
    module.def("coded_cells", &coded_cells);
    module.def("_token_cells", &tokens_of_objects);
    module.def("whole_cells", &whole_cells);
    module.def("real_cells", &real_cells);
}

}  // namespace partwise
