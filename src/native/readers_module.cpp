// Binds the readers (bytes in, columns and problems out) and the operations on the tokens they return.
#include <memory>
#include <string>

#include "columns.hpp"
#include "module.hpp"
#include "names.hpp"
#include "queries.hpp"
#include "rows.hpp"

namespace partwise {
namespace {

nb::tuple coded(nb::object codes, Names& names) {
    return nb::make_tuple(std::move(codes), array(std::move(names.starts())), array(std::move(names.ends())));
}

nb::list problems_of(const std::vector<Problem>& problems) {
    nb::list list;
    for (const Problem& problem : problems)
        list.append(nb::make_tuple(problem.line, problem.column, nb::bytes(problem.text.data(), problem.text.size())));
    return list;
}

// (columns, lines, problems, lines with more text); a string column is (codes, start of each code's token, its end).
nb::tuple columns_of(Columns& table) {
    nb::list columns;
    for (Column& column : table.columns) {
        if (column.kind == '-')
            columns.append(nb::none());
        else if (column.kind == 'f')
            columns.append(array(column.reals));
        else if (column.kind == 's')
            columns.append(coded(array(column.numbers), column.names));
        else if (column.kind == 'd')
            columns.append(nb::make_tuple(array(column.keys), array(column.numbers)));
        else
            columns.append(array(column.numbers));
    }
    return nb::make_tuple(columns, array(table.lines), problems_of(table.problems), table.with_more_text);
}

nb::tuple read_columns_of(const Bytes& data, const char* kinds) {
    Columns table;
    {
        const Unlocked unlocked(data.size());
        table = read_columns(text_of(data), kinds);
    }
    return columns_of(table);
}

// The same; None if the text is not UTF-8 or has a NUL byte.
nb::object read_text_of(const Bytes& data, const char* kinds, int64_t lines) {
    Columns table;
    bool is_text;
    {
        const Unlocked unlocked(data.size());
        const Content content = content_of(text_of(data));
        is_text = content.utf8 && !content.nul;
        if (is_text) table = read_columns(text_of(data), kinds, lines);
    }
    return is_text ? nb::object(columns_of(table)) : nb::none();
}

nb::tuple read_passages_of(const Bytes& data) {
    Passages table;
    {
        const Unlocked unlocked(data.size());
        table = read_passages(text_of(data));
    }
    return nb::make_tuple(coded(array(std::move(table.query)), table.query_names),
                          coded(array(std::move(table.doc)), table.doc_names), array(std::move(table.relevant)),
                          array(std::move(table.length)), array(std::move(table.bep)), array(std::move(table.lines)),
                          array(std::move(table.row_of)), array(std::move(table.start)), array(std::move(table.size)),
                          problems_of(table.problems));
}

nb::tuple content(const Bytes& data) {
    Content result;
    {
        const Unlocked unlocked(data.size());
        result = content_of(text_of(data));
    }
    return nb::make_tuple(result.ascii, result.utf8, result.nul);
}

nb::tuple shapes(const Bytes& data) {
    Shapes lines;
    {
        const Unlocked unlocked(data.size());
        lines = line_shapes(text_of(data));
    }
    return nb::make_tuple(array(std::move(lines.line)), array(std::move(lines.columns)),
                          array(std::move(lines.slashes)));
}

int64_t query_boundary(const Bytes& data) {
    const Unlocked unlocked(data.size());
    return last_query(text_of(data));
}

// (start of each stretch of lines with one query, number of its query, queries seen before this text, lines).
nb::tuple stretches_of(QueryLog& log, const Bytes& data) {
    const int64_t earlier = log.count();
    Stretches stretches;
    Ints number;
    {
        const Unlocked unlocked(data.size());
        stretches = query_stretches(text_of(data));
        number = log.add(text_of(data), stretches.start);
    }
    return nb::make_tuple(array(std::move(stretches.start)), array(std::move(number)), earlier, stretches.lines);
}

// Distinct strings of a text, looked up by strings of other texts.
class NameIndex {
  public:
    NameIndex(const Bytes& data, const IntArray& start, const IntArray& end) : data_(text_of(data)) {
        const IntView from = view(start), to = view(end);
        for (int64_t i = 0; i < from.size; ++i) names_.code(data_.data(), from[i], to[i], false);
    }

    nb::object find(const Bytes& data, const IntArray& start, const IntArray& end) const {
        const std::string_view text = text_of(data);
        const IntView from = view(start), to = view(end);
        auto codes = unset<int64_t>(start.size());
        {
            const Unlocked unlocked(start.size());
            for (int64_t i = 0; i < from.size; ++i)
                codes[static_cast<std::size_t>(i)] = names_.find(data_.data(), text.data() + from[i], text.data() + to[i]);
        }
        return array(codes.release(), start.size());
    }

  private:
    std::string data_;
    Names names_;
};

// The strings text[start[i]:end[i]], which must be valid UTF-8.
nb::list strings(const Bytes& data, const IntArray& start, const IntArray& end) {
    const std::string_view text = text_of(data);
    const IntView from = view(start), to = view(end);
    nb::list list;
    for (int64_t i = 0; i < from.size; ++i)
        list.append(nb::str(text.data() + from[i], static_cast<std::size_t>(to[i] - from[i])));
    return list;
}

Tokens tokens_of(const Bytes& data, const KeyArray& key, const IntArray& start, const IntArray& end) {
    return {text_of(data), {key.data(), static_cast<int64_t>(key.size())}, view(start), view(end)};
}

// The code of each row's token.
nb::tuple coded_tokens(const Bytes& data, const KeyArray& key, const IntArray& start, const IntArray& end) {
    const Tokens tokens = tokens_of(data, key, start, end);
    auto codes = unset<int64_t>(key.size());
    Names names;
    {
        const Unlocked unlocked(key.size());
        for (int64_t row = 0; row < tokens.start.size; ++row) {
            const int64_t begin = tokens.start[row];
            const auto size = static_cast<int64_t>(tokens.at(row).size());
            codes[static_cast<std::size_t>(row)] = names.code(tokens.text.data(), begin, begin + size, false);
        }
    }
    return coded(array(codes.release(), key.size()), names);
}

// The strings of these rows, which must be valid UTF-8.
nb::list strings_of_rows(const Bytes& data, const KeyArray& key, const IntArray& start, const IntArray& end,
                         const IntArray& rows) {
    const Tokens tokens = tokens_of(data, key, start, end);
    nb::list list;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string_view token = tokens.at(rows.data()[i]);
        list.append(nb::str(token.data(), token.size()));
    }
    return list;
}

class JudgedIndex {
  public:
    JudgedIndex(const Bytes& data, const IntArray& start, const IntArray& end, const IntArray& pair_offsets,
                const IntArray& pair_doc)
        : names_(text_of(data), view(start), view(end), view(pair_offsets), view(pair_doc)) {}

    nb::object find(const Bytes& data, const KeyArray& key, const IntArray& start, const IntArray& end,
                    const IntArray& rows, const IntArray& query) const {
        auto pair = unset<int64_t>(query.size());
        {
            const Unlocked unlocked(query.size());
            names_.find(tokens_of(data, key, start, end), view(rows), view(query), pair.get());
        }
        return array(pair.release(), query.size());
    }

  private:
    JudgedNames names_;
};

nb::tuple documents(const Bytes& data, const KeyArray& key, const IntArray& start, const IntArray& end,
                    const IntArray& rows, const IntArray& offsets) {
    Firsts result;
    {
        const Unlocked unlocked(rows.size());
        result = documents_of(tokens_of(data, key, start, end), view(rows), view(offsets));
    }
    return nb::make_tuple(array(std::move(result.of_row)), array(std::move(result.first)));
}

nb::object repeated_documents(const Bytes& data, const KeyArray& key, const IntArray& token_start,
                              const IntArray& token_end, const IntArray& rows, const IntArray& offsets,
                              const IntArray& span_offsets, const IntArray& start, const IntArray& end) {
    auto again = std::make_unique<bool[]>(rows.size() + 1);
    {
        const Unlocked unlocked(rows.size());
        repeated_tokens(tokens_of(data, key, token_start, token_end), view(rows), view(offsets), view(span_offsets),
                        view(start), view(end), again.get());
    }
    return array(again.release(), rows.size());
}

}  // namespace

void bind_readers(nb::module_& module) {
    module.def("_read_columns", &read_columns_of);
    module.def("_read_text", &read_text_of);
    module.def("_read_passages", &read_passages_of);
    module.def("content", &content);
    module.def("line_shapes", &shapes);
    module.def("last_query", &query_boundary);
    nb::class_<QueryLog>(module, "QueryLog").def(nb::init<>()).def("add", &stretches_of);
    nb::class_<NameIndex>(module, "_NameIndex")
        .def(nb::init<const Bytes&, const IntArray&, const IntArray&>())
        .def("find", &NameIndex::find);
    module.def("_strings", &strings);
    module.def("_strings_of_rows", &strings_of_rows);
    module.def("_coded_tokens", &coded_tokens);
    nb::class_<JudgedIndex>(module, "_JudgedIndex")
        .def(nb::init<const Bytes&, const IntArray&, const IntArray&, const IntArray&, const IntArray&>())
        .def("find", &JudgedIndex::find);
    module.def("_documents_of", &documents);
    module.def("_repeated_tokens", &repeated_documents);
}

}  // namespace partwise
