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
        const int64_t code = cell == last ? codes[row - 1] : texts.code_of_cell(cell);
        if (code < 0) irregular.push_back(static_cast<int64_t>(row));
        codes[row] = code;
        last = cell;
    }
    return nb::make_tuple(array(codes.release(), size), texts.take_names(), array(std::move(irregular)));
}

// (the texts one after another, the key of each, their edges); None if a cell is not a token.
nb::object tokens_of_objects(const nb::list& cells) {
    Tokens tokens;
    tokens.reserve(cells.size());
    for (std::size_t row = 0; row < cells.size(); ++row) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row));
        if (tokens.add(cell)) continue;
        const nb::object digits = digits_of(cell);
        if (!digits.is_valid() || !tokens.add(digits.ptr())) return nb::none();
    }
    return tokens.columns();
}

// The number of each name, -1 if it has none. A name is compared with the one after the last that was found first, because
// looking up names that come in the order of their numbers would load each entry of a large dict from memory.
nb::object numbers_of_names(const nb::list& names, const nb::list& in_order, const nb::dict& numbers) {
    const std::size_t size = names.size();
    auto found = unset<int64_t>(size);
    int64_t next = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const nb::object name = names[i];
        PyObject* expected = next < PyList_GET_SIZE(in_order.ptr()) ? PyList_GET_ITEM(in_order.ptr(), next) : nullptr;
        const bool is_next = expected && (expected == name.ptr() || are_equal_strings(expected, name.ptr()));
        if (is_next) {
            found[i] = next++;
            continue;
        }
        PyObject* number = PyDict_GetItemWithError(numbers.ptr(), name.ptr());
        found[i] = number ? PyLong_AsLongLong(number) : -1;
        if (PyErr_Occurred()) nb::raise_python_error();
        if (found[i] >= 0) next = found[i] + 1;
    }
    return array(found.release(), size);
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
    module.def("numbers_of_names", &numbers_of_names);
    module.def("whole_cells", &whole_cells);
    module.def("real_cells", &real_cells);
}

}  // namespace partwise
