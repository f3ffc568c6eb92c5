#include "trees.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <unordered_map>

namespace partwise {

namespace {

constexpr double SMALLEST_DIFFERENCE = 1e-9;  // values that differ by less are equal

std::size_t at(int64_t position) { return static_cast<std::size_t>(position); }

// A step of a path: the code of its tag (-1 if no node has it) and its position from 1. `is_text` is text(), of which the
// position may be followed by an offset (-1 if there is none).
struct Step {
    int64_t tag, position, offset;
    bool is_text;
};

// Reads digits, at most `most`; false if there are none or more.
bool read_number(std::string_view& text, std::size_t most, int64_t& number) {
    std::size_t size = 0;
    number = 0;
    while (size < text.size() && text[size] >= '0' && text[size] <= '9') {
        if (size == most) return false;
        number = 10 * number + (text[size++] - '0');
    }
    text.remove_prefix(size);
    return size > 0;
}

bool read_position(std::string_view& text, int64_t& position) {
    position = 1;
    if (text.empty() || text[0] != '[') return true;
    text.remove_prefix(1);
    if (!read_number(text, 9, position) || text.empty() || text[0] != ']') return false;
    text.remove_prefix(1);
    return true;
}

// The steps of a path; none if it is not a path.
std::vector<Step> steps_of(std::string_view path, const std::unordered_map<std::string_view, int64_t>& tags) {
    std::vector<Step> steps;
    while (!path.empty()) {
        if (path[0] != '/') return {};
        path.remove_prefix(1);
        const std::size_t size = std::min(path.find_first_of("/[]"), path.size());
        std::string_view name = path.substr(0, size);
        const bool is_text = name.substr(0, 6) == "text()" && (name.size() == 6 || name[6] == '.');
        Step step{-1, 1, -1, is_text};
        if (is_text) {
            path.remove_prefix(6);
        } else {
            const auto known = tags.find(name);
            if (known != tags.end()) step.tag = known->second;
            path.remove_prefix(size);
        }
        if (!read_position(path, step.position)) return {};
        if (is_text) {
            if (!path.empty() && path[0] == '.') {
                path.remove_prefix(1);
                if (!read_number(path, 13, step.offset)) return {};
            }
            if (!path.empty()) return {};
        }
        steps.push_back(step);
    }
    return steps;
}

// Numbers by pairs of numbers below 2^31, of which the first may be -1: an open table that grows.
class PairTable {
  public:
    // The number of a pair, -1 if it has none yet; the reference holds until the next call.
    int32_t& operator()(int32_t first, int32_t second) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        const uint64_t pair = static_cast<uint64_t>(first + int64_t{1}) << 32 | static_cast<uint32_t>(second);
        Slot& slot = find(pair);
        if (slot.number < 0) {
            slot.pair = pair;
            ++used_;  // the caller gives it a number
        }
        return slot.number;
    }

  private:
    struct Slot {
        uint64_t pair;
        int32_t number;
    };

    Slot& find(uint64_t pair) {
        uint64_t key = pair * 0x9e3779b97f4a7c15U;
        key ^= key >> 32U;
        for (std::size_t i = key & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1))
            if (slots_[i].number < 0 || slots_[i].pair == pair) return slots_[i];
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size(), Slot{0, -1});
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.number >= 0) find(slot.pair) = slot;
    }

    std::vector<Slot> slots_{std::vector<Slot>(1024, Slot{0, -1})};
    std::size_t used_ = 0;
};

// Adds a text that begins with that of number `above`, or with nothing, and ends with these; returns its number.
int32_t add_text(Texts& texts, int32_t above, std::initializer_list<std::string_view> ends) {
    const std::size_t begin = texts.bytes.size(), from = above < 0 ? 0 : at(texts.offsets[at(above)]);
    const std::size_t before = above < 0 ? 0 : at(texts.offsets[at(above) + 1]) - from;
    std::size_t size = before;
    for (const std::string_view end : ends) size += end.size();
    texts.bytes.resize(begin + size);
    uint8_t* to = texts.bytes.data() + begin;
    if (before) std::memcpy(to, texts.bytes.data() + from, before);
    to += before;
    for (const std::string_view end : ends) to = std::copy(end.begin(), end.end(), to);
    texts.offsets.push_back(static_cast<int64_t>(begin + size));
    return static_cast<int32_t>(texts.offsets.size()) - 2;
}

}  // namespace

template <class Number>
ElementPaths element_paths(View<Number> parent, View<Number> tag, const std::vector<std::string_view>& names) {
    // The paths of children with one tag below one path: the next sibling of a node has the next of them.
    struct Siblings {
        int32_t parent;  // of the node that was seen last
        int32_t position, path;  // of that node
        int32_t first;  // the path of position 1
        int32_t label;
    };
    if (parent.size > INT32_MAX) throw std::length_error("more nodes than can be numbered");
    ElementPaths made;
    PairTable numbers, labels;
    std::vector<Siblings> siblings;
    std::vector<int32_t> next;  // the path of the following position, -1 if it has not occurred
    int32_t root = 0;
    char position_text[24];
    made.path.resize(at(parent.size));
    made.paths.bytes.reserve(32 * at(parent.size));  // most have less, because many nodes have the path of another
    for (int32_t node = 0; node < static_cast<int32_t>(parent.size); ++node) {
        if (parent[node] < -1 || parent[node] >= node || tag[node] < 0 || at(tag[node]) >= names.size()) return {};
        const auto around = static_cast<int32_t>(parent[node]), name = static_cast<int32_t>(tag[node]);
        if (around < 0)
            root = node;
        else if (around < root)
            return {};
        const int32_t above = around < 0 ? -1 : made.path[at(around)];
        int32_t& number = numbers(above, name);
        if (number < 0) {
            number = static_cast<int32_t>(siblings.size());
            const int32_t label_above = above < 0 ? -1 : static_cast<int32_t>(made.label[at(above)]);
            int32_t& label = labels(label_above, name);
            if (label < 0) label = add_text(made.labels, label_above, {"/", names[at(name)]});
            siblings.push_back({-2, 0, -1, -1, label});
        }
        Siblings& seen = siblings[at(number)];
        const bool is_first = around < 0 || seen.parent != around;  // roots are not siblings
        int32_t& path = is_first ? seen.first : next[at(seen.path)];
        seen.parent = around;
        seen.position = is_first ? 1 : seen.position + 1;
        if (path < 0) {
            const auto end = std::to_chars(position_text, position_text + sizeof position_text, seen.position).ptr;
            path = add_text(made.paths, above, {"/", names[at(name)], "[", {position_text, at(end - position_text)}, "]"});
            seen.path = path;
            next.push_back(-1);  // which may move what `path` refers to
            made.label.push_back(seen.label);
        } else {
            seen.path = path;
        }
        made.path[at(node)] = seen.path;
    }
    return made;
}

template ElementPaths element_paths(IntView parent, IntView tag, const std::vector<std::string_view>& names);
template ElementPaths element_paths(View<int32_t> parent, View<int32_t> tag, const std::vector<std::string_view>& names);

bool node_rows(const std::vector<TreeBatch>& batches, const std::vector<std::string_view>& names, NodeRows& rows) {
    int64_t count = 0;
    for (const TreeBatch& batch : batches) count += batch.parent.size;
    if (count > INT32_MAX) throw std::length_error("more nodes than can be numbered");
    for (Buffer<int32_t>* column : {&rows.tree, &rows.preorder, &rows.parent, &rows.depth, &rows.tag, &rows.start, &rows.end}) {
        *column = Buffer<int32_t>(count);
        column->resize(count);
    }
    rows.text_bounds = Buffer<int32_t>(count + 1);
    rows.text_bounds.resize(count + 1);
    rows.text_bounds[0] = 0;
    rows.has_text = Buffer<uint8_t>((count + 7) / 8);
    rows.has_text.resize((count + 7) / 8);
    std::fill_n(rows.has_text.data(), (count + 7) / 8, uint8_t{0});
    Buffer<int32_t> parent_row(count);
    const auto number = [](int64_t wide) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(wide))); };
    int64_t row = 0, tree = 0, text = 0;
    for (const TreeBatch& batch : batches) {
        for (int64_t i = 0; i < batch.trees(); ++i, ++tree) {
            const int64_t low = batch.offsets[i], first = row;
            text = plus(text, minus(batch.bounds[i + 1], batch.bounds[i]));
            if (low < batch.offsets[i + 1]) rows.has_text[first / 8] = static_cast<uint8_t>(rows.has_text[first / 8] | 1 << first % 8);
            for (int64_t node = low; node < batch.offsets[i + 1]; ++node, ++row) {
                const int64_t above = batch.parent[node], tag = batch.tag[node];
                if (above < -1 || above >= node - low || tag < 0 || tag >= batch.codes.size) return false;
                rows.tree[row] = number(tree);
                rows.preorder[row] = number(node - low);
                rows.parent[row] = number(above);
                rows.depth[row] = above < 0 ? 0 : rows.depth[first + above] + 1;
                rows.tag[row] = number(batch.codes[tag]);
                rows.start[row] = number(batch.start[node]);
                rows.end[row] = number(batch.end[node]);
                rows.text_bounds[row + 1] = number(text);
                parent_row[row] = above < 0 ? -1 : number(first + above);
            }
        }
    }
    rows.paths = element_paths(View<int32_t>{parent_row.data(), count}, View<int32_t>{rows.tag.data(), count}, names);
    if (count && rows.paths.path.empty()) return false;
    rows.label_counts.assign(rows.paths.labels.offsets.size() - 1, 0);
    for (const int32_t path : rows.paths.path) ++rows.label_counts[at(rows.paths.label[at(path)])];
    return true;
}

bool tree_shapes(IntView offsets, IntView parent, int64_t* depth, int64_t* last) {
    for (int64_t tree = 0; tree + 1 < offsets.size; ++tree) {
        const int64_t low = offsets[tree], high = offsets[tree + 1];
        for (int64_t node = low; node < high; ++node) {
            if (parent[node] < -1 || parent[node] >= node - low) return false;
            depth[node] = parent[node] < 0 ? 0 : depth[low + parent[node]] + 1;
            last[node] = node - low + 1;
        }
        for (int64_t node = high - 1; node >= low; --node)
            if (parent[node] >= 0) last[low + parent[node]] = std::max(last[low + parent[node]], last[node]);
    }
    return true;
}

Grouped ideal_elements(const GradedTrees& graded) {
    Grouped ideal;
    ideal.offsets.push_back(0);
    Ints path, best;       // the relevant nodes around the current one, and the best one down to each
    std::vector<bool> kept;
    for (int64_t document = 0; document < graded.tree.size; ++document) {
        const int64_t low = graded.offsets[document], count = graded.offsets[document + 1] - low;
        const int64_t* last = graded.last.data + graded.tree_offsets[graded.tree[document]];
        path.clear();
        best.clear();
        kept.assign(at(count), false);
        for (int64_t node = 0; node < count; ++node) {
            if (!graded.relevant[low + node]) continue;
            while (!path.empty() && last[path.back()] <= node) {
                path.pop_back();
                best.pop_back();
            }
            const int64_t above = path.empty() ? node : best.back();
            const bool is_best = graded.value[low + node] >= graded.value[low + above] - SMALLEST_DIFFERENCE;
            path.push_back(node);
            best.push_back(is_best ? node : above);
            int64_t next = node + 1;
            while (next < last[node] && !graded.relevant[low + next]) ++next;
            const bool is_innermost = next >= last[node];
            if (is_innermost && graded.value[low + best.back()] > 0) kept[at(best.back())] = true;
        }
        for (int64_t node = 0; node < count;) {
            if (kept[at(node)]) ideal.items.push_back(node);
            node = kept[at(node)] ? last[node] : node + 1;
        }
        ideal.offsets.push_back(static_cast<int64_t>(ideal.items.size()));
    }
    return ideal;
}

Located locate_paths(const NamedTrees& trees, const std::vector<std::string_view>& paths, IntView tree, IntView path) {
    std::unordered_map<std::string_view, int64_t> tags;
    for (std::size_t code = 0; code < trees.names.size(); ++code) tags.emplace(trees.names[code], static_cast<int64_t>(code));
    std::vector<std::vector<Step>> parsed;
    for (const std::string_view text : paths) parsed.push_back(steps_of(text, tags));
    Located located{Ints(at(path.size), NOT_LOCATED), Ints(at(path.size), 0), Ints(at(path.size), 0)};
    for (int64_t i = 0; i < path.size; ++i) {
        const std::vector<Step>& steps = parsed[at(path[i])];
        const int64_t low = trees.offsets[tree[i]], count = trees.offsets[tree[i] + 1] - low;
        const int64_t* last = trees.last.data + low;
        if (steps.empty() || count == 0 || steps[0].is_text || steps[0].position != 1 || steps[0].tag != trees.tag[low])
            continue;
        int64_t node = 0;
        bool found = true;
        for (std::size_t step = 1; step < steps.size() && found && !steps[step].is_text; ++step) {
            int64_t left = steps[step].position, child = node + 1;
            for (; child < last[node]; child = last[child])
                if (trees.tag[low + child] == steps[step].tag && --left == 0) break;
            found = child < last[node];
            node = found ? child : node;
        }
        if (!found) continue;
        int64_t start = trees.start[low + node], end = trees.end[low + node];
        const Step& tail = steps.back();
        if (tail.is_text) {  // the runs of the element's own characters between its children
            int64_t left = tail.position, from = start, child = node + 1;
            for (;; child = last[child]) {
                const int64_t to = child < last[node] ? trees.start[low + child] : end;
                if (from < to && --left == 0) {
                    start = from;
                    end = to;
                    break;
                }
                if (child >= last[node]) break;
                from = trees.end[low + child];
            }
            if (left != 0 || tail.position < 1 || tail.offset > end - start) continue;
            if (tail.offset >= 0) start = end = start + tail.offset;
        }
        located.node[at(i)] = tail.is_text ? NOT_A_NODE : node;
        located.start[at(i)] = start;
        located.end[at(i)] = end;
    }
    return located;
}

}  // namespace partwise
