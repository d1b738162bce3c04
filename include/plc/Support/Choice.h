//===- Choice.h - what is chosen by name: an enum and its table -*- C++ -*-===//
//
// A choice (of a schedule, an optimizer, ..) is an enum and one table with a row for each value: its name, and all
// facts that other code needs. Strategies, pass options, manifests and messages take names from the table and compare
// no strings themselves. So a new value is a new row, and a misspelt name is always an error.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_SUPPORT_CHOICE_H
#define PLC_SUPPORT_CHOICE_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plc {

/// Specialised beside the table of each such enum:
///
///   static constexpr const char *noun;             the word for it in messages
///   static std::span<const Row> rows();            by enumerator; a Row has a `name`
template <typename Kind>
struct Choice;

/// The row of a choice that has only names.
struct NamedRow {
  const char *name;
};

template <typename Kind>
const auto &rowOf(Kind kind) {
  return Choice<Kind>::rows()[static_cast<size_t>(kind)];
}

template <typename Kind>
const char *nameOfChoice(Kind kind) {
  return rowOf(kind).name;
}

/// The value of this name; nullopt if there is none.
template <typename Kind>
std::optional<Kind> parseChoice(std::string_view name) {
  auto rows = Choice<Kind>::rows();
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == name)
      return Kind(i);
  return std::nullopt;
}

/// The names of the rows for which `holds` is true.
template <typename Kind, typename Predicate>
std::vector<std::string> namesOfChoice(Predicate holds) {
  std::vector<std::string> names;
  for (const auto &row : Choice<Kind>::rows())
    if (holds(row))
      names.push_back(row.name);
  return names;
}

/// All names, each between quotes: "'a', 'b' and 'c'".
template <typename Kind>
std::string listChoices(const char *quote = "'", const char *last = " and ") {
  auto rows = Choice<Kind>::rows();
  std::string list;
  for (size_t i = 0; i < rows.size(); ++i)
    list += (i == 0 ? "" : i + 1 == rows.size() ? last : ", ") + (quote + std::string(rows[i].name) + quote);
  return list;
}

/// "schedule 'x' is not supported; there are 'gpipe' and '1f1b'".
template <typename Kind>
std::string describeUnknown(std::string_view name) {
  return Choice<Kind>::noun + (" '" + std::string(name)) + "' is not supported; there are " + listChoices<Kind>();
}

} // namespace plc

#endif
