#include "digits.hpp"

#include <charconv>
#include <cmath>

#if !defined(__cpp_lib_to_chars) || defined(PARTWISE_PORTABLE)
#include <locale>
#include <sstream>
#endif

namespace partwise {

namespace {

void add_number(double value, int digits, std::string& text) {
    if (!std::isfinite(value)) {
        text += "null";
        return;
    }
#if defined(__cpp_lib_to_chars) && !defined(PARTWISE_PORTABLE)
    char number[32];
    text.append(number, std::to_chars(number, number + sizeof number, value, std::chars_format::general, digits).ptr);
#else
    std::ostringstream stream;
    stream.imbue(std::locale::classic());
    stream.precision(digits);
    stream << value;
    text += stream.str();
#endif
}

}  // namespace

std::string json_lists(RealView values, IntView offsets, int digits) {
    std::string text = "[";
    for (int64_t list = 0; list + 1 < offsets.size; ++list) {
        text += list ? ",[" : "[";
        for (int64_t i = offsets[list]; i < offsets[list + 1]; ++i) {
            if (i > offsets[list]) text += ',';
            add_number(values[i], digits, text);
        }
        text += ']';
    }
    return text += ']';
}

}  // namespace partwise
