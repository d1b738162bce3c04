//===- Sizes.cpp - names of sizes and letters of indices ------------------===//
#include "Text/Sizes.h"

#include "Text/Tokens.h"

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <sstream>
#include <utility>

using namespace plc;
using namespace plc::import;

/// The letter of each role, by enumerator.
static constexpr std::array letterOf = {"",  "B", "S", "V", "D", "P", "T", "N", "H", "G", "J",
                                        "K", "R", "F", "E", "A", "C", "W", "N", "G", "P", ""};
/// For sizes without a role.
static constexpr std::string_view otherLetters = "MNEIOQUW";
static_assert(letterOf.size() == size_t(Role::Window) + 1);

std::optional<size_t> Sizes::find(const std::string &name) const {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i].first == name)
      return i;
  return std::nullopt;
}

bool Sizes::has(const std::string &name) const { return find(name).has_value(); }

/// Small sizes without a role have no name, nor have those of which each position is read: parts, as queries, keys and
/// values.
static bool isNumber(const Atom *leaf) {
  return leaf->role == Role::Window || ((leaf->isFixed || leaf->role == Role::None) && leaf->extent <= 3);
}

std::string Sizes::name(Atom *leaf) {
  leaf = import::find(leaf);
  if (!leaf->parts.empty())
    return product({leaf});
  if (auto known = names.find(leaf); known != names.end())
    return known->second;
  if (isNumber(leaf))
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
  if (leaf->isFixed)
    unrolled.insert(chosen);
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
std::optional<Sizes::Relation> Sizes::sumRelation(const std::string &size) const {
  for (const auto &[atom, name] : names) {
    if (name != size || atom->sum.empty())
      continue;
    Relation relation;
    bool isKnown = true;
    int64_t plus = atom->plus;
    for (const Axis &part : atom->sum) {
      std::string product;
      if (flat(part).size() == 1 && isNumber(flat(part)[0])) {
        plus += extentOf(part);
        continue;
      }
      for (Atom *leaf : flat(part)) {
        auto known = names.find(leaf);
        isKnown &= known != names.end() && known->second != size;
        if (known == names.end())
          break;
        product += (product.empty() ? "" : " * ") + known->second;
        relation.from.push_back(known->second);
      }
      plus += product.empty();
      relation.text += (relation.text.empty() || product.empty() ? "" : " + ") + product;
    }
    if (plus > 0)
      relation.text = std::to_string(plus) + (relation.text.empty() ? "" : " + ") + relation.text;
    else if (plus < 0)
      relation.text += " - " + std::to_string(-plus);
    relation.isCut = plus < 0;
    if (isKnown)
      return relation;
  }
  return std::nullopt;
}

/// The relation of each size. Of a circle the one that cuts another size is left out: its size is a number.
std::vector<std::optional<Sizes::Relation>> Sizes::relations() const {
  std::vector<std::optional<Relation>> known(sizes.size());
  std::function<bool(const std::string &, const std::string &)> reaches = [&](const std::string &from,
                                                                              const std::string &to) {
    const std::optional<Relation> &relation = known[*find(from)];
    return from == to || (relation && std::any_of(relation->from.begin(), relation->from.end(),
                                                  [&](const std::string &each) { return reaches(each, to); }));
  };
  for (bool isCut : {false, true})
    for (size_t i = 0; i < sizes.size(); ++i)
      if (std::optional<Relation> one = relation(i); one && one->isCut == isCut)
        if (std::none_of(one->from.begin(), one->from.end(),
                         [&](const std::string &from) { return reaches(from, sizes[i].first); }))
          known[i] = std::move(one);
  return known;
}

std::optional<Sizes::Relation> Sizes::relation(size_t index) const {
  const auto &[name, value] = sizes[index];
  auto valueOf = [&](const std::string &other) {
    std::optional<size_t> known = find(other);
    return known ? sizes[*known].second : 0;
  };
  if (auto other = equal.find(name); other != equal.end())
    return Relation{other->second, {other->second.substr(0, other->second.find(' '))}};
  int64_t model = valueOf("D"), heads = valueOf("H");
  if (name.size() == 1 && name[0] == 'F' && model && value % model == 0)
    return Relation{std::to_string(value / model) + " * D", {"D"}};
  if (name.size() == 1 && name[0] == 'K' && model && heads * value == model)
    return Relation{"D / H", {"D", "H"}};
  std::optional<Relation> windows = windowRelation(name);
  return windows ? windows : sumRelation(name);
}

std::string plc::import::countOfWindows(const std::string &size, int64_t rest, int64_t stride) {
  rest += stride == 1;
  std::string sum = size + (rest ? (rest < 0 ? " - " : " + ") + std::to_string(std::abs(rest)) : "");
  return stride == 1 ? sum : (rest ? "(" + sum + ")" : sum) + " // " + std::to_string(stride) + " + 1";
}

/// Of the windows of a convolution or pool.
std::optional<Sizes::Relation> Sizes::windowRelation(const std::string &size) const {
  for (const auto &[atom, name] : names) {
    auto found = name == size ? windows.find(atom) : windows.end();
    if (found == windows.end())
      continue;
    const auto &[from, rest, stride] = found->second;
    auto known = names.find(from);
    if (known == names.end() || known->second == size)
      continue;
    return Relation{countOfWindows(known->second, rest, stride), {known->second}};
  }
  return std::nullopt;
}

void Sizes::findWindows(const Net &net) {
  for (const NetNode *node : net.order) {
    if (node->isLeaf() || (node->op != Op::Convolution && node->op != Op::MaxPool && node->op != Op::MeanPool))
      continue;
    const Windows &each = node->windows;
    for (size_t i = 0; i < each.kernel.size(); ++i) {
      size_t dim = node->axes.size() - each.kernel.size() + i;
      Axis from = flat(node->operands[0]->axes[dim]), to = flat(node->axes[dim]);
      if (from.size() == 1 && to.size() == 1 && from != to)
        windows.try_emplace(
            to[0], Window{from[0], 2 * each.pad[i] - each.dilation[i] * (each.kernel[i] - 1) - 1, each.stride[i]});
    }
  }
}

std::string Sizes::declarations() const {
  constexpr size_t perLine = 8, widest = 100;
  std::vector<std::string> declared;
  std::vector<bool> isDone(sizes.size());
  std::vector<std::optional<Relation>> known = relations();
  // A size stands behind those that it is computed from.
  std::function<void(size_t)> declare = [&](size_t index) {
    if (isDone[index])
      return;
    isDone[index] = true;
    std::string text = std::to_string(sizes[index].second);
    if (known[index]) {
      for (const std::string &from : known[index]->from)
        declare(*find(from));
      text = known[index]->text;
    }
    declared.push_back(sizes[index].first + " = " + text);
  };
  for (size_t i = 0; i < sizes.size(); ++i)
    declare(i);
  std::string text, line;
  size_t inLine = 0;
  for (std::string &each : declared) {
    if (fixed.contains(each.substr(0, each.find(' '))))
      continue;
    writeNumbers(each);
    bool isFull = inLine == perLine || line.size() + each.size() > widest;
    if (isFull)
      text += std::exchange(line, "") + "\n";
    inLine = isFull ? 0 : inLine;
    line += (inLine++ ? ", " : "dim ") + each;
  }
  text += line;
  return text;
}

/// In place of fixed sizes.
void Sizes::writeNumbers(std::string &text) const {
  if (fixed.empty())
    return;
  std::string written;
  for (const std::string &token : tokensOf(text))
    written += fixed.contains(token) ? std::to_string(sizes[*find(token)].second) : token;
  text = written;
}

/// Whether what a loop gives in each iteration is read by numbers of iterations: then it has a length of its own.
static bool readsSteps(const std::string &text) {
  std::set<std::string> given; // with an axis of iterations
  std::string counter, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    std::vector<std::string> tokens = tokensOf(line);
    auto isOne = [&](size_t i, const std::string &word) { return i < tokens.size() && tokens[i] == word; };
    if (isOne(2, "repeat") && tokens.size() > 4)
      counter = tokens[4];
    else if (isOne(2, "}"))
      counter.clear();
    bool isInside = !counter.empty() && isOne(5, "[");
    for (size_t i = 6; isInside && i < tokens.size() && tokens[i] != "]"; ++i)
      if (tokens[i] == counter)
        given.insert(tokens[4]);
    for (size_t i = 0; i + 2 < tokens.size(); ++i)
      if (given.contains(tokens[i]) && tokens[i + 1] == "[")
        for (size_t k = i + 2; k < tokens.size() && tokens[k] != "]"; ++k)
          if (isDigits(tokens[k]) && (tokens[k - 1] == "[" || tokens[k - 2] == ",") &&
              (isOne(k + 1, ",") || isOne(k + 1, "]")))
            return true;
  }
  return false;
}

std::string Sizes::fixUnrolled(std::string &text) {
  std::set<int64_t> extents;
  bool hasSteps = readsSteps(text);
  for (const std::string &name : unrolled)
    if (hasSteps || !std::regex_search(text, std::regex("repeat \\w+ < [^{]*\\b" + name + "\\b"))) {
      fixed.insert(name);
      extents.insert(sizes[*find(name)].second);
    }
  writeNumbers(text);
  std::string remarks;
  for (int64_t extent : extents)
    remarks += "# Axes of " + std::to_string(extent) + " are fixed: the graph reads their positions one by one.\n";
  return remarks;
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
