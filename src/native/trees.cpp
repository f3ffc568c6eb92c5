#include "trees.hpp"

#include <charconv>
#include <cstring>
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

// Numbers by pairs of numbers: an open table that grows.
class PairTable {
  public:
    // The number of a pair, -1 if it has none yet; the reference holds until the next call.
    int64_t& operator()(int64_t first, int64_t second) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        Slot& slot = find(first, second);
        if (slot.number < 0) {
            slot.first = first;
            slot.second = second;
            ++used_;  // the caller gives it a number
        }
        return slot.number;
    }

  private:
    struct Slot {
        int64_t first, second, number;
    };

    Slot& find(int64_t first, int64_t second) {
        uint64_t key = (static_cast<uint64_t>(first) * 0x9e3779b97f4a7c15U) ^ static_cast<uint64_t>(second);
        key *= 0xff51afd7ed558ccdU;
        for (std::size_t i = (key ^ (key >> 32U)) & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1))
            if (slots_[i].number < 0 || (slots_[i].first == first && slots_[i].second == second)) return slots_[i];
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size(), Slot{0, 0, -1});
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.number >= 0) find(slot.first, slot.second) = slot;
    }

    std::vector<Slot> slots_{std::vector<Slot>(1024, Slot{0, 0, -1})};
    std::size_t used_ = 0;
};

void append(Texts& texts, std::string_view text) { texts.bytes.insert(texts.bytes.end(), text.begin(), text.end()); }

// Begins a text with that of number `above`, or with nothing.
void begin_like(Texts& texts, int64_t above) {
    if (above < 0) return;
    const std::size_t from = at(texts.offsets[at(above)]), size = at(texts.offsets[at(above) + 1]) - from;
    const std::size_t end = texts.bytes.size();
    texts.bytes.resize(end + size);
    std::memcpy(texts.bytes.data() + end, texts.bytes.data() + from, size);
}

// Ends a text; returns its number.
int64_t finish(Texts& texts) {
    texts.offsets.push_back(static_cast<int64_t>(texts.bytes.size()));
    return static_cast<int64_t>(texts.offsets.size()) - 2;
}

}  // namespace

ElementPaths element_paths(IntView parent, IntView tag, const std::vector<std::string_view>& names) {
    // The paths of children with one tag below one path: the next sibling of a node has the next of them.
    struct Siblings {
        int64_t parent;  // of the node that was seen last
        int64_t position, path;  // of that node
        int64_t first;  // the path of position 1
        int64_t label;
    };
    ElementPaths made;
    PairTable numbers, labels;
    std::vector<Siblings> siblings;
    Ints next;  // the path of the following position, -1 if it has not occurred
    int64_t root = 0;
    char position_text[24];
    made.path.reserve(at(parent.size));
    for (int64_t node = 0; node < parent.size; ++node) {
        if (parent[node] < -1 || parent[node] >= node || tag[node] < 0 || at(tag[node]) >= names.size()) return {};
        if (parent[node] < 0)
            root = node;
        else if (parent[node] < root)
            return {};
        const int64_t above = parent[node] < 0 ? -1 : made.path[at(parent[node])];
        int64_t& number = numbers(above, tag[node]);
        if (number < 0) {
            number = static_cast<int64_t>(siblings.size());
            const int64_t label_above = above < 0 ? -1 : made.label[at(above)];
            int64_t& label = labels(label_above, tag[node]);
            if (label < 0) {
                begin_like(made.labels, label_above);
                append(made.labels, "/");
                append(made.labels, names[at(tag[node])]);
                label = finish(made.labels);
            }
            siblings.push_back({-2, 0, -1, -1, label});
        }
        Siblings& seen = siblings[at(number)];
        const bool is_first = parent[node] < 0 || seen.parent != parent[node];  // roots are not siblings
        int64_t& path = is_first ? seen.first : next[at(seen.path)];
        seen.parent = parent[node];
        seen.position = is_first ? 1 : seen.position + 1;
        if (path < 0) {
            begin_like(made.paths, above);
            append(made.paths, "/");
            append(made.paths, names[at(tag[node])]);
            append(made.paths, "[");
            const auto end = std::to_chars(position_text, position_text + sizeof position_text, seen.position).ptr;
            append(made.paths, {position_text, at(end - position_text)});
            append(made.paths, "]");
            path = finish(made.paths);
            seen.path = path;
            next.push_back(-1);  // which may move what `path` refers to
            made.label.push_back(seen.label);
        } else {
            seen.path = path;
        }
        made.path.push_back(seen.path);
    }
    return made;
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
