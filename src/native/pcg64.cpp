#include "pcg64.hpp"

#include <algorithm>

namespace partwise {

namespace {

constexpr std::size_t POOL = 4;

// Numbers of 32 bits that are multiplied by another factor each time.
class Hash {
  public:
    Hash(uint32_t first, uint32_t factor) : factor_at_(first), factor_(factor) {}

    uint32_t operator()(uint32_t number) {
        number ^= factor_at_;
        factor_at_ *= factor_;
        number *= factor_at_;
        return number ^ number >> 16;
    }

  private:
    uint32_t factor_at_, factor_;
};

uint32_t mixed(uint32_t a, uint32_t b) {
    const uint32_t number = 0xCA01F9DDU * a - 0x4973F715U * b;
    return number ^ number >> 16;
}

}  // namespace

// NumPy's SeedSequence, after "Developing a seed_seq Alternative" (O'Neill 2015).
Generator seeded(const std::vector<uint32_t>& entropy, uint64_t key) {
    std::vector<uint32_t> words = entropy;
    words.resize(std::max(words.size(), POOL));  // zeros, so that no entropy is taken for a key
    words.push_back(static_cast<uint32_t>(key));
    if (key >> 32) words.push_back(static_cast<uint32_t>(key >> 32));

    Hash in(0x43B0D7E5U, 0x931E8875U), out(0x8B51F9DDU, 0x58F38DEDU);
    std::array<uint32_t, POOL> pool;
    for (std::size_t i = 0; i < POOL; ++i) pool[i] = in(words[i]);
    for (std::size_t from = 0; from < POOL; ++from)
        for (std::size_t to = 0; to < POOL; ++to)
            if (from != to) pool[to] = mixed(pool[to], in(pool[from]));
    for (std::size_t i = POOL; i < words.size(); ++i)
        for (uint32_t& number : pool) number = mixed(number, in(words[i]));

    std::array<uint64_t, 4> seeds;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        const uint64_t low = out(pool[2 * i % POOL]), high = out(pool[(2 * i + 1) % POOL]);
        seeds[i] = high << 32 | low;
    }
    const Wide factor = wide(FACTOR_HIGH, FACTOR_LOW);
    const Wide step = wide(seeds[2] << 1 | seeds[3] >> 63, seeds[3] << 1 | 1);
    const Wide state = (step + wide(seeds[0], seeds[1])) * factor + step;
    return {high_half(state), low_half(state), high_half(step), low_half(step)};
}

}  // namespace partwise
