// Binds what reads and stores documents: XML, archives, the trees of a stored index, and paths to elements.
#include <algorithm>
#include <array>

#include "markup.hpp"
#include "module.hpp"
#include "stored.hpp"
#include "tar.hpp"
#include "trees.hpp"

namespace partwise {
namespace {

std::vector<std::string_view> strings_in(const Bytes& data, const IntArray& offsets) {
    std::vector<std::string_view> strings;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        strings.push_back(text_of(data).substr(static_cast<std::size_t>(offsets.data()[i]),
                                               static_cast<std::size_t>(offsets.data()[i + 1] - offsets.data()[i])));
    return strings;
}

nb::tuple paths_located(const nb::object& trees, const IntArray& tags, const nb::tuple& names, const nb::tuple& paths,
                        const IntArray& tree, const IntArray& path) {
    const IntArray offsets = ints(trees, "offsets"), last = ints(trees, "last"), start = ints(trees, "start"),
                   end = ints(trees, "end");
    const auto name_bytes = nb::cast<Bytes>(names[0]), path_bytes = nb::cast<Bytes>(paths[0]);
    const auto name_offsets = nb::cast<IntArray>(names[1]), path_offsets = nb::cast<IntArray>(paths[1]);
    Located located;
    {
        const Unlocked unlocked(path.size());
        located = locate_paths({view(offsets), view(last), view(start), view(end), view(tags), strings_in(name_bytes, name_offsets)},
                               strings_in(path_bytes, path_offsets), view(tree), view(path));
    }
    return nb::make_tuple(array(std::move(located.node)), array(std::move(located.start)), array(std::move(located.end)));
}

nb::tuple paths_of_elements(const IntArray& parent, const IntArray& tag, const Bytes& names, const IntArray& name_offsets) {
    if (parent.size() != tag.size()) throw nb::value_error("every node needs a parent and a tag");
    ElementPaths made;
    {
        const Unlocked unlocked(parent.size());
        made = element_paths(view(parent), view(tag), strings_in(names, name_offsets));
    }
    if (parent.size() && made.path.empty()) throw nb::value_error("the nodes are not those of trees");
    return nb::make_tuple(array(Ints(made.path.begin(), made.path.end())), array(std::move(made.paths.bytes)),
                          array(std::move(made.paths.offsets)), array(std::move(made.label)), array(std::move(made.labels.bytes)), array(std::move(made.labels.offsets)));
}

// The columns of some trees: offsets, tags, codes of tags, parents, starts, ends, and the bounds of texts.
using TreeColumns = std::array<IntArray, 7>;

TreeBatch batch_of(const TreeColumns& columns) {
    const auto& [offsets, tag, codes, parent, start, end, bounds] = columns;
    const std::size_t nodes = parent.size(), trees = offsets.size() ? offsets.size() - 1 : 0;
    if (tag.size() != nodes || start.size() != nodes || end.size() != nodes || bounds.size() != offsets.size() ||
        offsets.size() == 0 || offsets.data()[0] != 0 || offsets.data()[trees] != static_cast<int64_t>(nodes) ||
        !std::is_sorted(offsets.data(), offsets.data() + trees + 1))
        throw nb::value_error("columns of trees differ in length");
    return {view(offsets), view(tag), view(codes), view(parent), view(start), view(end), view(bounds)};
}

nb::tuple rows_of_nodes(const nb::list& batches, const Bytes& names, const IntArray& name_offsets) {
    std::vector<TreeColumns> columns(batches.size());
    std::vector<TreeBatch> trees;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto one = nb::cast<nb::tuple>(batches[i]);
        if (one.size() != columns[i].size()) throw nb::value_error("a batch has seven columns");
        for (std::size_t k = 0; k < columns[i].size(); ++k) columns[i][k] = nb::cast<IntArray>(one[k]);
        trees.push_back(batch_of(columns[i]));
    }
    NodeRows rows;
    bool are_trees = false;
    {
        const nb::gil_scoped_release unlocked;
        are_trees = node_rows(trees, strings_in(names, name_offsets), rows);
    }
    if (!are_trees) throw nb::value_error("the nodes are not those of trees");
    return nb::make_tuple(
        nb::make_tuple(array(rows.tree), array(rows.preorder), array(rows.parent), array(rows.depth), array(rows.tag),
                       array(std::move(rows.paths.path)), array(rows.start), array(rows.end)),
        nb::make_tuple(array(std::move(rows.paths.paths.bytes)), array(std::move(rows.paths.paths.offsets))),
        nb::make_tuple(array(std::move(rows.paths.labels.bytes)), array(std::move(rows.paths.labels.offsets)),
                       array(std::move(rows.label_counts))),
        nb::make_tuple(array(rows.text_bounds), array(rows.has_text)));
}

StoredNames names_in(const Bytes& data, const IntArray& offsets) { return {text_of(data), view(offsets)}; }

nb::object keys_of(const Bytes& data, const IntArray& offsets) {
    const StoredNames names = names_in(data, offsets);
    std::vector<uint64_t> keys;
    for (int64_t i = 0; i < names.count(); ++i) {
        std::string_view name;
        if (!names.get(i, name)) throw nb::value_error("a name is outside of the bytes");
        keys.push_back(name_key(name));
    }
    return array(std::move(keys));
}

nb::object names_found(const Bytes& data, const IntArray& offsets, const KeyArray& keys, const IntArray& of,
                       const Bytes& wanted, const IntArray& wanted_offsets) {
    if (keys.size() != of.size()) throw nb::value_error("a key needs a name");
    const std::size_t count = wanted_offsets.size() ? wanted_offsets.size() - 1 : 0;
    auto number = std::make_unique<int64_t[]>(count + 1);
    {
        const Unlocked unlocked(count);
        find_names(names_in(data, offsets), {keys.data(), static_cast<int64_t>(keys.size())}, view(of),
                   names_in(wanted, wanted_offsets), number.get());
    }
    return array(number.release(), count);
}

nb::tuple trees_read(const Bytes& blocks, const IntArray& first, const IntArray& length, const IntArray& checksum,
                     const Bytes& ids, const IntArray& id_offsets, int64_t tags, const IntArray& documents) {
    if (first.size() != length.size() + 1 || length.size() != checksum.size())
        throw nb::value_error("columns of documents differ in length");
    ReadTrees trees;
    {
        const Unlocked unlocked(16 * documents.size());
        trees = read_trees({text_of(blocks), view(first), view(length), view(checksum), names_in(ids, id_offsets), tags},
                           view(documents));
    }
    return nb::make_tuple(array(std::move(trees.offsets)), array(std::move(trees.parent)), array(std::move(trees.start)),
                          array(std::move(trees.end)), array(std::move(trees.tag)), trees.damaged);
}

nb::list names_of(const Markup& markup) {
    nb::list names;
    for (const std::string& name : markup.names) names.append(nb::str(name.data(), name.size()));
    return names;
}

nb::object elements_of(const nb::bytes& source) {
    Markup markup;
    Reading reading;
    {
        const Unlocked unlocked(source.size());
        reading = markup.add({source.c_str(), source.size()});
    }
    if (reading == Reading::none) return nb::none();
    return nb::make_tuple(array(std::move(markup.tag)), names_of(markup), array(std::move(markup.parent)),
                          array(std::move(markup.depth)), array(std::move(markup.start)), array(std::move(markup.end)),
                          nb::bytes(markup.text.data(), markup.text.size()), reading == Reading::all);
}

nb::tuple elements_of_several(const nb::list& sources) {
    std::vector<std::string_view> views;
    std::size_t size = 0;
    for (const nb::handle source : sources) {
        const auto bytes = nb::cast<nb::bytes>(source);
        views.emplace_back(bytes.c_str(), bytes.size());
        size += bytes.size();
    }
    Markup markup;
    Ints length;
    {
        const Unlocked unlocked(size);
        markup.text.reserve(size);
        for (const std::string_view source : views) {
            if (markup.add(source, Reading::all) != Reading::all) break;
            length.push_back(markup.end[static_cast<std::size_t>(markup.nodes[markup.nodes.size() - 2])]);
        }
    }
    return nb::make_tuple(array(std::move(markup.nodes)), array(std::move(markup.tag)), names_of(markup),
                          array(std::move(markup.parent)), array(std::move(markup.start)), array(std::move(markup.end)),
                          array(std::move(length)), array(std::move(markup.text)), array(std::move(markup.texts)));
}

nb::tuple trees_written(const IntArray& first, const IntArray& length, const IntArray& parent, const IntArray& start,
                        const IntArray& end, const IntArray& tag, const Bytes& ids, const IntArray& id_offsets) {
    const std::size_t nodes = parent.size(), documents = length.size();
    if (first.size() != documents + 1 || id_offsets.size() != documents + 1 || start.size() != nodes ||
        end.size() != nodes || tag.size() != nodes || first.data()[documents] != static_cast<int64_t>(nodes) ||
        first.data()[0] != 0 || !std::is_sorted(first.data(), first.data() + documents + 1))
        throw nb::value_error("columns of documents differ in length");
    auto blocks = unset<uint8_t>(16 * nodes);
    auto checksum = unset<int64_t>(documents);
    {
        const Unlocked unlocked(16 * nodes);
        write_trees({view(first), view(length), view(parent), view(start), view(end), view(tag), names_in(ids, id_offsets)},
                    reinterpret_cast<char*>(blocks.get()), checksum.get());
    }
    return nb::make_tuple(array(blocks.release(), 16 * nodes), array(checksum.release(), documents));
}

nb::tuple members_of_tar(const nb::bytes& block) {
    TarMembers members;
    {
        const Unlocked unlocked(block.size());
        members = read_tar({block.c_str(), block.size()});
    }
    return nb::make_tuple(nb::str(members.names.data(), members.names.size()), array(std::move(members.data)),
                          array(std::move(members.size)), members.next);
}

}  // namespace

void bind_documents(nb::module_& module) {
    module.def("read_markup", &elements_of);
    module.def("locate_paths", &paths_located);
    module.def("element_paths", &paths_of_elements);
    module.def("node_rows", &rows_of_nodes);
    module.def("name_keys", &keys_of);
    module.def("find_names", &names_found);
    module.def("read_trees", &trees_read);
    module.def("read_markups", &elements_of_several);
    module.def("write_trees", &trees_written);
    module.def("read_tar", &members_of_tar);
}

}  // namespace partwise
