#include "naturals.hpp"

#include <algorithm>

namespace partwise {

namespace {

// The lower half of a word, and the upper half.
uint32_t lower(uint64_t word) { return static_cast<uint32_t>(word & 0xFFFFFFFFu); }
uint32_t upper(uint64_t word) { return static_cast<uint32_t>(word >> 32); }

}  // namespace

Natural::Natural(uint64_t value) : digits_{lower(value), upper(value)} { trim(); }

Natural Natural::of_bytes(const char* bytes, std::size_t size) {
    Natural number;
    number.digits_.assign((size + 3) / 4, 0);
    for (std::size_t i = 0; i < size; ++i)
        number.digits_[i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i % 4));
    number.trim();
    return number;
}

uint64_t Natural::low() const {
    const uint64_t first = digits_.empty() ? 0 : digits_[0];
    return digits_.size() < 2 ? first : first | static_cast<uint64_t>(digits_[1]) << 32;
}

void Natural::trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
}

Natural operator*(const Natural& a, const Natural& b) {
    Natural product;
    product.digits_.assign(a.digits_.size() + b.digits_.size(), 0);
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
        uint64_t carry = 0;
        for (std::size_t j = 0; j < b.digits_.size(); ++j) {
            carry += static_cast<uint64_t>(a.digits_[i]) * b.digits_[j] + product.digits_[i + j];
            product.digits_[i + j] = lower(carry);
            carry >>= 32;
        }
        product.digits_[i + b.digits_.size()] = lower(carry);
    }
    product.trim();
    return product;
}

Natural operator-(const Natural& a, const Natural& b) {
    Natural difference = a;
    uint64_t borrow = 0;
    for (std::size_t i = 0; i < difference.digits_.size(); ++i) {
        const uint64_t taken = borrow + (i < b.digits_.size() ? b.digits_[i] : 0);
        borrow = difference.digits_[i] < taken ? 1 : 0;
        difference.digits_[i] = lower((borrow << 32) + difference.digits_[i] - taken);
    }
    difference.trim();
    return difference;
}

bool operator<(const Natural& a, const Natural& b) {
    if (a.digits_.size() != b.digits_.size()) return a.digits_.size() < b.digits_.size();
    return std::lexicographical_compare(a.digits_.rbegin(), a.digits_.rend(), b.digits_.rbegin(), b.digits_.rend());
}

}  // namespace partwise
