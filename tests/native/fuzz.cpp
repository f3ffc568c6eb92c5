// Entry point for libFuzzer: the first byte selects a reader, the rest is the file.
#include <memory>

#include "checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    // A copy of exactly this size, so that the sanitizer detects reads past its end.
    const std::unique_ptr<char[]> copy(new char[size]);
    std::copy(data, data + size, copy.get());
    const std::string_view text(copy.get() + 1, size - 1);
    constexpr std::size_t layouts = sizeof(checks::LAYOUTS) / sizeof(checks::LAYOUTS[0]);
    const std::size_t choice = data[0] % (layouts + 5);
    if (choice < layouts)
        checks::check_columns(text, checks::LAYOUTS[choice]);
    else if (choice == layouts)
        checks::check_passages(text);
    else if (choice == layouts + 1)
        checks::check_text(text);
    else if (choice == layouts + 2)
        checks::check_queries(text);
    else if (choice == layouts + 3)
        checks::check_markup(text);
    else
        checks::check_named_columns(text);
    return 0;
}
