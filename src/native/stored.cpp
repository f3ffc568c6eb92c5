#include "stored.hpp"

#include <array>
#include <limits>

namespace partwise {

namespace {

constexpr uint32_t POLYNOMIAL = 0xEDB88320u;
constexpr std::size_t SLICES = 8;

using Tables = std::array<std::array<uint32_t, 256>, SLICES>;

// Table k has the checksum of each byte followed by k zero bytes, so that eight bytes are taken at once.
Tables checksum_tables() {
    Tables tables{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? POLYNOMIAL : 0);
        tables[0][byte] = value;
    }
    for (std::size_t k = 1; k < SLICES; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte)
            tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF];
    return tables;
}

uint32_t byte_at(std::string_view data, std::size_t at) { return static_cast<unsigned char>(data[at]); }

uint32_t word_at(std::string_view data, std::size_t at) {
    return byte_at(data, at) | byte_at(data, at + 1) << 8 | byte_at(data, at + 2) << 16 | byte_at(data, at + 3) << 24;
}

int64_t number_at(std::string_view data, int64_t at) {
    return static_cast<int32_t>(word_at(data, static_cast<std::size_t>(at) * 4));
}

// The checksum of the id and the length of a document.
uint32_t checksum_of_document(std::string_view id, int64_t length) {
    char bytes[8];
    for (int k = 0; k < 8; ++k) bytes[k] = static_cast<char>(static_cast<uint64_t>(length) >> (8 * k) & 0xFF);
    return checksum_of({bytes, 8}, checksum_of(id, 0));
}

// Whether the columns of a document, of which the last `nodes` rows are its nodes, are a tree within its text.
bool is_tree(const ReadTrees& trees, std::size_t low, int64_t length, int64_t tags) {
    const std::size_t high = trees.parent.size();
    for (std::size_t node = low; node < high; ++node) {
        const int64_t above = trees.parent[node], start = trees.start[node], end = trees.end[node];
        if (above < -1 || above >= static_cast<int64_t>(node - low) || (above < 0) != (node == low)) return false;
        if (start < 0 || start > end || end > length || trees.tag[node] < 0 || trees.tag[node] >= tags) return false;
        if (above < 0) continue;
        const std::size_t around = low + static_cast<std::size_t>(above);
        if (start < trees.start[around] || end > trees.end[around]) return false;
    }
    return high > low;
}

}  // namespace

bool StoredNames::get(int64_t number, std::string_view& name) const {
    if (number < 0 || number >= count()) return false;
    const int64_t low = offsets[number], high = offsets[number + 1];
    if (low < 0 || low > high || high > static_cast<int64_t>(bytes.size())) return false;
    name = bytes.substr(static_cast<std::size_t>(low), static_cast<std::size_t>(high - low));
    return true;
}

uint64_t name_key(std::string_view name) {
    uint64_t key = 0xCBF29CE484222325u;
    for (const char byte : name) key = (key ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
    key = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15u;
    return key ^ (key >> 29);
}

uint32_t checksum_of(std::string_view data, uint32_t before) {
    static const Tables tables = checksum_tables();
    uint32_t value = ~before;
    std::size_t at = 0;
    for (; at + 8 <= data.size(); at += 8) {
        const uint32_t low = value ^ word_at(data, at), high = word_at(data, at + 4);
        value = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF] ^ tables[4][low >> 24] ^
                tables[3][high & 0xFF] ^ tables[2][high >> 8 & 0xFF] ^ tables[1][high >> 16 & 0xFF] ^ tables[0][high >> 24];
    }
    for (; at < data.size(); ++at) value = tables[0][(value ^ byte_at(data, at)) & 0xFF] ^ (value >> 8);
    return ~value;
}

void find_names(const StoredNames& stored, View<uint64_t> keys, IntView of, const StoredNames& wanted, int64_t* number) {
    const uint64_t* const end = keys.data + keys.size;
    for (int64_t i = 0; i < wanted.count(); ++i) {
        std::string_view name, other;
        number[i] = -1;
        if (!wanted.get(i, name)) continue;
        const uint64_t key = name_key(name);
        for (const uint64_t* at = std::lower_bound(keys.data, end, key); at < end && *at == key; ++at) {
            const int64_t candidate = of[at - keys.data];
            if (stored.get(candidate, other) && other == name)
                number[i] = number[i] == -1 || number[i] == -2 ? candidate : -3;
            else if (number[i] == -1)
                number[i] = -2;
        }
    }
}

ReadTrees read_trees(const StoredTrees& stored, IntView documents) {
    ReadTrees trees;
    trees.offsets.push_back(0);
    const int64_t most = static_cast<int64_t>(stored.blocks.size() / 16);
    for (int64_t i = 0; i < documents.size; ++i) {
        const int64_t document = documents[i];
        trees.damaged = i;  // until it is known to be whole
        std::string_view id;
        if (document < 0 || document + 1 >= stored.first.size || !stored.ids.get(document, id)) return trees;
        const int64_t first = stored.first[document], last = stored.first[document + 1], length = stored.length[document];
        if (first < 0 || first >= last || last > most) return trees;
        const int64_t nodes = last - first;
        const std::string_view block = stored.blocks.substr(static_cast<std::size_t>(first) * 16, static_cast<std::size_t>(nodes) * 16);
        const uint32_t checksum = checksum_of(block, checksum_of_document(id, length));
        if (static_cast<int64_t>(checksum) != stored.checksum[document]) return trees;
        const std::size_t low = trees.parent.size();
        Ints* const columns[] = {&trees.parent, &trees.start, &trees.end, &trees.tag};
        for (int64_t k = 0; k < 4; ++k)
            for (int64_t node = 0; node < nodes; ++node) columns[k]->push_back(number_at(block, k * nodes + node));
        if (!is_tree(trees, low, length, stored.tags)) return trees;
        trees.offsets.push_back(static_cast<int64_t>(trees.parent.size()));
    }
    trees.damaged = -1;
    return trees;
}

void write_trees(const WrittenTrees& trees, char* blocks, int64_t* checksum) {
    for (int64_t document = 0; document < trees.length.size; ++document) {
        const int64_t low = trees.first[document], high = trees.first[document + 1];
        char* const block = blocks;
        for (const IntView& column : {trees.parent, trees.start, trees.end, trees.tag}) {
            for (int64_t node = low; node < high; ++node) {
                const auto number = static_cast<uint32_t>(static_cast<uint64_t>(column[node]));
                for (int k = 0; k < 4; ++k) *blocks++ = static_cast<char>(number >> (8 * k) & 0xFF);
            }
        }
        std::string_view id;
        trees.ids.get(document, id);
        const auto size = static_cast<std::size_t>(blocks - block);
        checksum[document] = checksum_of({block, size}, checksum_of_document(id, trees.length[document]));
    }
}

}  // namespace partwise
