//===- Compare.cpp - rules of a model at two sizes ------------------------===//
#include "Text/Compare.h"

#include "Text/Tokens.h"

#include "plc/Import/ImportModel.h"

#include <map>
#include <optional>
#include <sstream>

using namespace plc;
using namespace plc::import;

namespace {
using TextLines = std::vector<std::string>;

/// A size: how the text declares it, and its value.
struct DeclaredSize {
  std::string text;
  int64_t value = 0;
};

class SizeComparison {
public:
  SizeComparison(const std::string &first, const std::string &second, const std::string &other)
      : a(linesOf(first)), b(linesOf(second)), other(other) {}
  std::string run();

private:
  static TextLines linesOf(const std::string &text);
  static bool isDim(const std::string &line) { return line.starts_with("dim "); }
  std::map<std::string, DeclaredSize> sizesOf(const TextLines &lines) const;
  void compareSizes();
  std::string unified(const std::string &x, const std::string &y) const;
  std::string expression(int64_t x, int64_t y) const;
  [[noreturn]] void refuse(const std::string &x, const std::string &y, const std::string &why) const;

  TextLines a, b;
  const std::string &other;
  std::map<std::string, DeclaredSize> sizes, others;
};
} // namespace

TextLines SizeComparison::linesOf(const std::string &text) {
  TextLines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

void SizeComparison::refuse(const std::string &x, const std::string &y, const std::string &why) const {
  throw ImportError("its rules hold at the exported sizes alone, since " + why + ": '" + x + "', but '" + y + "' in '" +
                    other + "'");
}

/// "dim B = 2, K = D / H": their values are computed from left to right, as the front end does.
std::map<std::string, DeclaredSize> SizeComparison::sizesOf(const TextLines &lines) const {
  std::map<std::string, DeclaredSize> found;
  for (const std::string &line : lines) {
    if (!isDim(line))
      continue;
    std::istringstream stream(line.substr(4));
    for (std::string each; std::getline(stream, each, ',');) {
      size_t begin = each.find_first_not_of(' '), equal = each.find(" = ");
      DeclaredSize size{each.substr(equal + 3), 0};
      if (isDigits(size.text))
        size.value = std::stoll(size.text);
      found[each.substr(begin, equal - begin)] = size;
    }
  }
  return found;
}

/// A size that is computed from others is computed alike.
void SizeComparison::compareSizes() {
  sizes = sizesOf(a);
  others = sizesOf(b);
  for (const auto &[name, size] : sizes) {
    auto there = others.find(name);
    bool isAlike =
        there != others.end() && (isDigits(size.text) ? isDigits(there->second.text) : size.text == there->second.text);
    if (!isAlike)
      refuse(name + " = " + size.text, there == others.end() ? "no " + name : name + " = " + there->second.text,
             "its sizes differ");
  }
}

/// A size, or one plus or times a number, that is x at the first's sizes and y at the second's.
std::string SizeComparison::expression(int64_t x, int64_t y) const {
  for (const auto &[name, size] : sizes) {
    int64_t p = size.value, q = others.at(name).value;
    if (p == 0 || p == q)
      continue;
    if (x % p == 0 && x / p * q == y)
      return x == p ? name : std::to_string(x / p) + " * " + name;
    if (x - p == y - q)
      return name + (x < p ? " - " : " + ") + std::to_string(std::abs(x - p));
  }
  return "";
}

std::string SizeComparison::unified(const std::string &x, const std::string &y) const {
  if (x == y)
    return x;
  TextLines left = tokensOf(x), right = tokensOf(y);
  if (left.size() != right.size())
    refuse(x, y, "a rule has another form");
  std::string text;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) {
      text += left[i];
      continue;
    }
    if (!isDigits(left[i]) || !isDigits(right[i]))
      refuse(x, y, "a rule has another form");
    std::string size = expression(std::stoll(left[i]), std::stoll(right[i]));
    if (size.empty())
      refuse(x, y, left[i] + " is no size");
    bool isAlone = text.ends_with("[") || text.ends_with(", ") || text.ends_with("= ");
    text += size.find(' ') == std::string::npos || isAlone ? size : "(" + size + ")";
  }
  return text;
}

std::string SizeComparison::run() {
  compareSizes();
  std::string text, same, varied;
  for (const auto &[name, size] : sizes) {
    const DeclaredSize &there = others.at(name);
    if (!isDigits(size.text))
      continue;
    bool isSame = size.value == there.value;
    std::string &list = isSame ? same : varied;
    list += (list.empty() ? "" : ", ") + name + (isSame ? "" : " = " + there.text);
  }
  if (varied.empty())
    throw ImportError("'" + other + "' has the same sizes; export it at others");
  auto isBody = [](const std::string &line) { return !isDim(line) && !line.empty(); };
  TextLines rest;
  std::copy_if(b.begin(), b.end(), std::back_inserter(rest), isBody);
  size_t next = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!isBody(a[i])) {
      text += a[i] + "\n";
      continue;
    }
    text += unified(a[i], next < rest.size() ? rest[next] : "") + "\n";
    ++next;
    if (i == 0)
      text += "# It holds at " + varied + ", too." + (same.empty() ? "" : " Not varied: " + same + ".") + "\n";
  }
  if (next < rest.size())
    refuse("", rest[next], "a rule has another form");
  return text;
}

std::string plc::import::compareSizes(const std::string &first, const std::string &second, const std::string &other) {
  return SizeComparison(first, second, other).run();
}
