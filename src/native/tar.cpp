#include "tar.hpp"

#include <algorithm>

namespace partwise {

namespace {

constexpr std::size_t BLOCK = 512;

// A text that ends with a NUL or with its field.
std::string_view text_in(std::string_view header, std::size_t at, std::size_t size) {
    const std::string_view field = header.substr(at, size);
    return field.substr(0, field.find('\0'));
}

// Reads octal digits between blanks, 0 if there are none; false if the field has anything else.
bool read_octal(std::string_view header, std::size_t at, std::size_t size, int64_t& number) {
    std::string_view text = text_in(header, at, size);
    number = 0;
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    for (const char digit : text) {
        if (digit < '0' || digit > '7') return false;
        number = number * 8 + (digit - '0');
    }
    return true;
}

bool is_plain_name(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Reads the name and the size of a regular file; false if the header is not plain.
bool read_header(std::string_view header, std::string& name, int64_t& size) {
    constexpr std::size_t checksum_at = 148, checksum_size = 8;
    const char type = header[156];
    if (type != '0' && type != '\0') return false;
    int64_t sum = static_cast<int64_t>(' ') * static_cast<int64_t>(checksum_size), checksum = 0;
    for (std::size_t i = 0; i < BLOCK; ++i)
        if (i < checksum_at || i >= checksum_at + checksum_size) sum += static_cast<unsigned char>(header[i]);
    if (!read_octal(header, checksum_at, checksum_size, checksum) || checksum != sum) return false;
    constexpr std::size_t numbers[][2] = {{100, 8}, {108, 8}, {116, 8}, {136, 12}, {329, 8}, {337, 8}};
    for (const auto& [at, length] : numbers)
        if (!read_octal(header, at, length, size)) return false;
    if (!read_octal(header, 124, 12, size)) return false;
    const std::string_view last = text_in(header, 0, 100), before = text_in(header, 345, 155);
    if (last.empty() || last.back() == '/' || !is_plain_name(last) || !is_plain_name(before)) return false;
    name.assign(before);
    if (!before.empty()) name += '/';
    name += last;
    return true;
}

}  // namespace

TarMembers read_tar(std::string_view part) {
    TarMembers members;
    std::string name;
    auto at = static_cast<std::size_t>(members.next);
    while (at < part.size() && part.size() - at >= BLOCK) {
        int64_t size = 0;
        if (!read_header(part.substr(at, BLOCK), name, size)) break;
        members.names.append(name).push_back('\0');
        members.data.push_back(static_cast<int64_t>(at + BLOCK));
        members.size.push_back(size);
        at += BLOCK + (static_cast<std::size_t>(size) + BLOCK - 1) / BLOCK * BLOCK;
    }
    members.next = static_cast<int64_t>(at);
    return members;
}

}  // namespace partwise
