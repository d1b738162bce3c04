//===- Sizes.cpp - names of sizes and letters of indices ------------------===//
#include "Text/Sizes.h"

#include <algorithm>
#include <array>

using namespace plc;
using namespace plc::import;

/// The letter of each role, by enumerator.
static constexpr std::array letterOf = {"",  "B", "S", "V", "D", "P", "T", "N", "H", "G", "J",
                                        "K", "R", "F", "E", "A", "C", "W", "N", "G", "P"};
/// For sizes without a role.
static constexpr std::string_view otherLetters = "MNEIOQUW";
static_assert(letterOf.size() == size_t(Role::Patch) + 1);

std::optional<size_t> Sizes::find(const std::string &name) const {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i].first == name)
      return i;
  return std::nullopt;
}

bool Sizes::has(const std::string &name) const { return find(name).has_value(); }

std::string Sizes::name(Atom *leaf) {
  leaf = import::find(leaf);
  if (!leaf->parts.empty())
    return product({leaf});
  if (auto known = names.find(leaf); known != names.end())
    return known->second;
  if (leaf->role == Role::None && leaf->extent <= 3)
    return std::to_string(leaf->extent);
  std::string role = letterOf[size_t(leaf->role)], chosen;
  for (const auto &[atom, name] : names)
    if (leaf->role != Role::None && atom->role == leaf->role && atom->extent == leaf->extent)
      chosen = name;
  for (int number = 1; chosen.empty(); ++number)
    for (char letter : role.empty() ? otherLetters : std::string_view(role)) {
      std::string candidate = letter + (number == 1 ? "" : std::to_string(number));
      if (chosen.empty() && !has(candidate))
        chosen = candidate;
    }
  if (!has(chosen))
    sizes.push_back({chosen, leaf->extent});
  return names[leaf] = chosen;
}

std::string Sizes::product(const Axis &axis) {
  std::string text;
  for (Atom *leaf : flat(axis))
    text += (text.empty() ? "" : " * ") + name(leaf);
  return text.empty() ? "1" : text;
}

std::string Sizes::count(int64_t value) {
  for (int number = 1;; ++number) {
    std::string name = "L" + (number == 1 ? "" : std::to_string(number));
    std::optional<size_t> known = find(name);
    if (!known)
      sizes.push_back({name, value});
    if (!known || sizes[*known].second == value)
      return name;
  }
}

/// "1 + G * G", of a concatenation or of merged axes.
std::optional<std::string> Sizes::sumRelation(size_t index) const {
  for (const auto &[atom, name] : names) {
    if (name != sizes[index].first || atom->sum.empty())
      continue;
    std::string text;
    bool isKnown = true;
    for (const Axis &part : atom->sum) {
      std::string product;
      for (Atom *leaf : flat(part)) {
        auto known = names.find(leaf);
        isKnown &= known != names.end() && *find(known->second) < index;
        product += (product.empty() ? "" : " * ") + (known == names.end() ? "" : known->second);
      }
      text += (text.empty() ? "" : " + ") + (product.empty() ? "1" : product);
    }
    if (isKnown)
      return text;
  }
  return std::nullopt;
}

std::optional<std::string> Sizes::relation(size_t index) const {
  const auto &[name, value] = sizes[index];
  std::optional<size_t> model = find("D"), heads = find("H");
  bool hasModel = model && *model < index;
  if (name == "F" && hasModel && value % sizes[*model].second == 0)
    return std::to_string(value / sizes[*model].second) + " * D";
  if (name == "K" && hasModel && heads && *heads < index && sizes[*heads].second * value == sizes[*model].second)
    return "D / H";
  return sumRelation(index);
}

std::string Sizes::declarations() const {
  constexpr size_t perLine = 8;
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i) {
    text += i % perLine ? ", " : i ? "\ndim " : "dim ";
    text += sizes[i].first + " = " + relation(i).value_or(std::to_string(sizes[i].second));
  }
  return text;
}

std::string plc::import::indexName(const std::string &size, const std::set<std::string> &taken) {
  // By the first letter of a size: its indices, the first one first.
  static const std::map<char, std::string> others = {
      {'s', "stuw"}, {'t', "tuw"}, {'d', "deio"}, {'k', "ker"}, {'b', "bcn"}, {'n', "ijmn"},
      {'c', "cio"},  {'w', "oc"},  {'h', "hg"},   {'f', "fe"},  {'g', "gij"}, {'p', "pq"},
      {'v', "vz"},   {'j', "jl"},  {'e', "ea"},   {'r', "r"},   {'m', "m"}};
  char first = size[0] >= 'A' && size[0] <= 'Z' ? char(size[0] - 'A' + 'a') : 'p';
  auto found = others.find(first);
  for (char letter : (found == others.end() ? std::string(1, first) : found->second) + "pqijlmuzxyabcdefghknorstvw")
    if (!taken.contains(std::string(1, letter)))
      return std::string(1, letter);
  for (int number = 2;; ++number)
    if (std::string name = first + std::to_string(number); !taken.contains(name))
      return name;
}
