#include "names.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace partwise {

namespace {

constexpr uint64_t FACTOR = 0x9E3779B97F4A7C15u;

uint64_t long_key(const char* begin, int64_t size) {
    uint64_t key = FACTOR;
    int64_t at = 0;
    for (; at + 8 <= size; at += 8) {
        key = (key ^ eight_bytes(begin + at)) * FACTOR;
        key ^= key >> 32;
    }
    return (key ^ token_key(begin + at, size - at, false)) * FACTOR;
}

}  // namespace

uint64_t long_token_key(const char* begin, int64_t size) {
    const uint64_t key = long_key(begin, size);
    return ((key ^ (key >> 32)) & ~uint64_t{0xFF}) | 1;
}

uint64_t Names::place(uint64_t key, int64_t size) {
    uint64_t mixed = (key ^ (static_cast<uint64_t>(size) << 56)) * FACTOR;
    return mixed ^ (mixed >> 32);
}

void Names::reserve(int64_t count) {
    constexpr int64_t most = 1 << 15;
    uint64_t capacity = 64;
    while (capacity < static_cast<uint64_t>(2 * std::min(count, most))) capacity *= 2;
    if (capacity > slots_.size()) grow(capacity);
}

void Names::grow(uint64_t capacity) {
    std::vector<Slot> old(capacity, Slot{0, -1, 0});
    old.swap(slots_);
    mask_ = capacity - 1;
    for (const Slot& slot : old) {
        if (slot.code < 0) continue;
        const int64_t size = end_[static_cast<std::size_t>(slot.code)] - start_[static_cast<std::size_t>(slot.code)];
        uint64_t at = place(slot.key, size) & mask_;
        while (slots_[at].code >= 0) at = (at + 1) & mask_;
        slots_[at] = slot;
    }
}

int64_t Names::code(const char* text, int64_t start, int64_t end, bool readable) {
    const char* begin = text + start;
    const int64_t size = end - start;
    const uint64_t key = size <= 8 ? token_key(begin, size, readable) : long_key(begin, size);
    if (2 * (start_.size() + 1) > slots_.size()) grow(slots_.empty() ? 64 : 2 * slots_.size());
    uint64_t at = place(key, size) & mask_;
    for (;; at = (at + 1) & mask_) {
        Slot& slot = slots_[at];
        if (slot.code < 0) break;
        if (slot.key != key || slot.size != static_cast<uint32_t>(size)) continue;
        const int64_t other = start_[static_cast<std::size_t>(slot.code)];
        if (size <= 8) return slot.code;
        if (end_[static_cast<std::size_t>(slot.code)] - other == size &&
            std::memcmp(text + other, begin, static_cast<std::size_t>(size)) == 0)
            return slot.code;
    }
    if (start_.size() >= INT32_MAX) throw std::length_error("more distinct names than can be numbered");
    slots_[at] = Slot{key, static_cast<int32_t>(start_.size()), static_cast<uint32_t>(size)};
    start_.push_back(start);
    end_.push_back(end);
    return slots_[at].code;
}

int64_t Names::find(const char* text, const char* begin, const char* end) const {
    const int64_t size = end - begin;
    if (slots_.empty()) return -1;
    const uint64_t key = size <= 8 ? token_key(begin, size, false) : long_key(begin, size);
    for (uint64_t at = place(key, size) & mask_;; at = (at + 1) & mask_) {
        const Slot& slot = slots_[at];
        if (slot.code < 0) return -1;
        if (slot.key != key || slot.size != static_cast<uint32_t>(size)) continue;
        if (size <= 8) return slot.code;
        const int64_t other = start_[static_cast<std::size_t>(slot.code)];
        if (end_[static_cast<std::size_t>(slot.code)] - other == size &&
            std::memcmp(text + other, begin, static_cast<std::size_t>(size)) == 0)
            return slot.code;
    }
}

}  // namespace partwise
