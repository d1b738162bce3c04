//===- Steps.cpp - equal steps as a loop ----------------------------------===//
// An unrolled loop is a run of lines that repeats: each iteration reads what the one before has given, and numbers in
// its positions grow by a constant. The first iteration may read 0 instead. A choice by position among what all
// iterations gave is collected in the loop.
#include "Text/Steps.h"

#include "Text/Sizes.h"
#include "Text/StepJoins.h"
#include "Text/Tokens.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

using namespace plc;
using namespace plc::import;

namespace {
constexpr size_t fewestIterations = 4,
                 longestBody = 64; // iterations; lines of one

class Roller {
public:
  Roller(std::vector<std::string> &lines, const StepSizes &sizes, const std::set<std::string> &kept,
         std::map<std::string, Extents> &collected)
      : lines(lines), sizes(sizes), kept(kept), collected(collected) {}
  bool run();

private:
  void findShapes();
  bool hasCarried(size_t start, size_t length) const;
  bool findRun(size_t start, size_t length, size_t most);
  bool tryAt(size_t start, size_t length, bool needsFirst, size_t &used);
  size_t verify();
  bool matches(size_t iteration, size_t line);
  bool matchesFirst(size_t line);
  bool takeFirst();
  bool takeChoices();
  bool takeReads(size_t line);
  std::string left(size_t line, const std::string &first, bool hasSizes) const;
  std::string behind(size_t line) const;
  void name();
  std::string bodyLine(size_t line) const;
  std::string moved(const Words &line, size_t token, int64_t step, int64_t at) const;
  void emit();

  const Words &at(size_t iteration, size_t line) const { return tokens[first + iteration * period + line]; }
  std::optional<Origin> originOf(const std::string &name) const { return import::originOf(origins, name); }

  std::vector<std::string> &lines;
  const StepSizes &sizes;
  const std::set<std::string> &kept;
  std::map<std::string, Extents> &collected; // names that loops give as a whole
  std::vector<Words> tokens;
  std::vector<std::string> shapes;
  // The candidate: iterations from line `first` on; the lines of `base` become the body.
  size_t first = 0, period = 0, count = 0, base = 0;
  Origins origins;
  std::map<std::pair<size_t, size_t>, int64_t> steps;  // of numbers, by line and token
  std::map<std::pair<size_t, size_t>, size_t> carried; // tokens that read what a line of the last iteration gave
  std::map<size_t, std::string> initial;               // what the first one reads instead, by line
  std::vector<Joined> choices;
  std::map<size_t, std::string> gathered; // lines of which others read single iterations: their collected names
  std::string counter, extent;
  std::vector<std::string> names; // of the body's lines
};
} // namespace

/// Names and numbers may differ.
void Roller::findShapes() {
  std::set<std::string> given;
  tokens.clear();
  shapes.clear();
  for (const std::string &line : lines) {
    tokens.push_back(tokensOfRule(line));
    given.insert(tokens.back()[0]);
  }
  for (const Words &line : tokens) {
    std::string shape;
    for (size_t i = 0; i < line.size(); ++i)
      shape += isDigits(line[i])                                                           ? "#"
               : given.contains(line[i]) || (line[i + 1 < line.size() ? i + 1 : i] == "[") ? "@"
                                                                                           : line[i];
    shapes.push_back(std::move(shape));
  }
}

/// Compares a line of an iteration with the base's, and learns which tokens are carried and how numbers grow.
bool Roller::matches(size_t iteration, size_t line) {
  const Words &a = at(base, line), &b = at(iteration, line);
  if (a.size() != b.size())
    return false;
  int depth = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    depth += (b[i] == "[") - (b[i] == "]");
    std::optional<Origin> here = originOf(b[i]), there = originOf(a[i]);
    bool isOwn = here && here->iteration == iteration, isSecond = iteration == base + 1,
         isAnew = here && line > here->line;
    auto known = carried.find({line, i});
    if (isSecond && here && here->iteration == base) {
      // What is carried must not be given anew before it is read.
      if (isAnew || initial.try_emplace(here->line, a[i]).first->second != a[i])
        return false;
      carried[{line, i}] = here->line;
    } else if (known != carried.end() || (here && !isOwn)) {
      if (known == carried.end() || !here || here->line != known->second || here->iteration + 1 != iteration)
        return false;
    } else if (isOwn) {
      if (!there || there->iteration != base || there->line != here->line)
        return false;
    } else if (isDigits(a[i]) && isDigits(b[i])) {
      int64_t difference = std::stoll(b[i]) - std::stoll(a[i]);
      if (isSecond)
        steps[{line, i}] = difference;
      if (difference != steps[{line, i}] * int64_t(iteration - base) || (difference && !depth))
        return false;
    } else if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

/// How many iterations are equal, from the base on.
size_t Roller::verify() {
  for (size_t iteration = base + 1; iteration < count; ++iteration)
    for (size_t line = 0; line < period; ++line)
      if (!matches(iteration, line))
        return iteration;
  return count;
}

/// Whether the iteration in front of the base is one, too, which may read 0 for what is carried.
bool Roller::matchesFirst(size_t line) {
  const Words &a = at(0, line), &b = at(1, line);
  size_t i = 0;
  for (size_t k = 0; k < b.size(); ++k, ++i) {
    if (i + 2 < a.size() && a[i] == ":" && b[k] != ":") // the size that the state has in other iterations
      i += 3;
    if (i >= a.size())
      return false;
    auto source = carried.find({line, k});
    std::optional<Origin> here = originOf(a[i]), there = originOf(b[k]);
    if (source != carried.end()) {
      if (b[k] != at(0, source->second)[0] || (here && here->iteration == 0) ||
          initial.try_emplace(source->second, a[i]).first->second != a[i])
        return false;
      if (a[i] == "0" && k + 1 < b.size() && b[k + 1] == "[") { // its indices are left out
        int depth = 0;
        do {
          ++k;
          depth += (b[k] == "[") - (b[k] == "]");
        } while (depth && k + 1 < b.size());
      } else if (!isWordCharacter(a[i][0]) || (isDigits(a[i]) && a[i] != "0")) {
        return false;
      }
    } else if (here && here->iteration == 0) {
      if (!there || there->iteration != 1 || there->line != here->line)
        return false;
    } else if (auto step = steps.find({line, k}); step != steps.end() && isDigits(a[i])) {
      if (std::stoll(a[i]) + step->second != std::stoll(b[k]))
        return false;
    } else if (a[i] != b[k]) {
      return false;
    }
  }
  return i == a.size();
}

bool Roller::takeFirst() {
  if (first < period)
    return false;
  auto before = origins;
  auto initialBefore = initial;
  first -= period;
  base = 1;
  ++count;
  for (auto &[name, origin] : origins)
    ++origin.iteration;
  for (size_t line = 0; line < period; ++line)
    origins[at(0, line)[0]] = {0, line};
  initial.clear();
  for (size_t line = 0; line < period; ++line)
    if (!matchesFirst(line)) {
      first += period;
      base = 0;
      --count;
      origins = before;
      initial = initialBefore;
      return false;
    }
  return true;
}

/// Another line reads what single iterations give: at their positions in all that the loop gives.
bool Roller::takeReads(size_t line) {
  const Words &all = tokens[line];
  for (size_t i = 1; i < all.size(); ++i) {
    std::optional<Origin> origin = originOf(all[i]);
    if (origin && (i + 1 == all.size() || all[i + 1] != "["))
      return false; // it has no indices
    if (origin)
      gathered.try_emplace(origin->line);
  }
  return true;
}

/// What iterations give is read in choices, and after the last one.
bool Roller::takeChoices() {
  for (size_t line = 0; line < lines.size(); ++line) {
    bool isInside = line >= first && line < first + count * period;
    bool isRead = std::any_of(tokens[line].begin(), tokens[line].end(), [&](const std::string &token) {
      std::optional<Origin> origin = isInside ? std::nullopt : originOf(token);
      return origin && (origin->iteration + 1 < count || line < first);
    });
    bool isTaken = std::any_of(choices.begin(), choices.end(), [&](auto &each) { return each.lines.contains(line); });
    if (!isRead || isTaken)
      continue;
    std::optional<Joined> choice = findJoined(lines, tokens, origins, count, line);
    if (!choice && takeReads(line))
      continue;
    if (!choice)
      return false;
    choices.push_back(*choice);
    Extents extents = sizes.extentsOf(tokens[line][0]);
    if (choices.back().axis < extents.size())
      extent = extents[choices.back().axis].first;
  }
  for (size_t iteration = 0; iteration + 1 < count; ++iteration)
    for (size_t line = 0; line < period; ++line)
      if (kept.contains(at(iteration, line)[0]))
        return false;
  return true;
}

/// Whether a number is counted from the end of an axis: "M - 2".
static bool isFromEnd(const std::vector<std::string> &line, size_t token) {
  return token >= 4 && line[token - 1] == " " && line[token - 2] == "-" && line[token - 3] == " " &&
         std::isupper(static_cast<unsigned char>(line[token - 4][0]));
}

void Roller::name() {
  names.clear();
  std::set<std::string> used;
  for (size_t line = 0; line < period; ++line) {
    const std::string &last = at(count - 1, line)[0];
    names.push_back(kept.contains(last) ? last : at(0, line)[0]);
    for (const std::string &token : at(base, line))
      used.insert(token[0] == indexMark ? token.substr(1) : token);
  }
  for (const char *each : {"t", "s", "l", "i", "now", "turn"})
    if (counter = each; !used.contains(each))
      break;
  // The size of the axis that is read at the counter. The one that is collected is the same.
  std::string joined = extent;
  for (auto [place, step] : steps) {
    if (std::abs(step) != 1)
      continue;
    const Words &line = at(base, place.first);
    size_t axis = 0, i = place.second;
    for (int depth = 0; i > 0 && depth >= 0; --i) {
      depth += (line[i] == "]") - (line[i] == "[");
      axis += depth == 0 && line[i] == ",";
    }
    Extents extents = sizes.extentsOf(line[i]);
    if (axis >= extents.size())
      continue;
    bool isTurned = isFromEnd(line, place.second);
    int64_t begin = std::stoll(line[place.second]) - step * int64_t(base);
    begin = isTurned ? extents[axis].second - begin : begin;
    bool isForward = (step > 0) != isTurned;
    int64_t before = isForward ? begin : 0;
    bool isWhole = extents[axis].second == int64_t(count) + before;
    if (isWhole && (isForward || begin + 1 == int64_t(count)))
      extent = extents[axis].first + (before ? " - " + std::to_string(before) : "");
  }
  for (auto &[line, whole] : gathered) {
    whole = "all_" + names[line];
    collected[whole] = sizes.extentsOf(at(base, line)[0]);
  }
  if (extent.empty())
    extent = std::to_string(count);
  else if (!joined.empty() && joined != extent)
    sizes.equate(joined, extent);
  for (const auto &[line, whole] : gathered)
    collected[whole].insert(collected[whole].begin(), {extent, int64_t(count)});
}

/// The counter times a step from a number on.
std::string Roller::moved(const Words &line, size_t token, int64_t step, int64_t at) const {
  std::string factor = std::abs(step) == 1 ? counter : std::to_string(std::abs(step)) + " * " + counter;
  if (step > 0 && isFromEnd(line, token))
    return at ? std::to_string(at) + " - " + factor : factor;
  std::string last = at + 1 == int64_t(count) && !isDigits(extent) ? extent + " - 1" : std::to_string(at);
  std::string text = step < 0 ? last + " - " + factor : at ? factor + " + " + std::to_string(at) : factor;
  bool isAlone =
      (line[token - 1] == "[" || line[token - 2] == ",") && (line[token + 1] == "]" || line[token + 1] == ",");
  return isAlone || text == counter ? text : "(" + text + ")";
}

std::string Roller::bodyLine(size_t line) const {
  const Words &own = at(base, line);
  std::string text = names[line];
  for (size_t i = 1; i < own.size(); ++i) {
    auto step = steps.find({line, i});
    auto source = carried.find({line, i});
    std::optional<Origin> origin = originOf(own[i]);
    if (source != carried.end())
      text += names[source->second];
    else if (origin)
      text += names[origin->line];
    else if (step != steps.end() && step->second)
      text += moved(own, i, step->second, std::stoll(own[i]) - step->second * int64_t(base));
    else
      text += own[i];
  }
  return text;
}

/// Indices of what a line gives, behind the counter.
std::string Roller::left(size_t line, const std::string &counter, bool hasSizes) const {
  std::set<std::string> taken = {counter};
  std::string text = counter;
  for (const auto &[size, value] : sizes.extentsOf(at(base, line)[0])) {
    std::string letter = indexName(size, taken);
    taken.insert(letter);
    text += (text.empty() ? "" : ", ") + letter + (hasSizes ? ": " + size : "");
  }
  return text;
}

/// A line behind the loop.
std::string Roller::behind(size_t line) const {
  std::string text;
  const Words &all = tokens[line];
  for (size_t i = 0; i < all.size(); ++i) {
    std::optional<Origin> origin = originOf(all[i]);
    auto whole = origin ? gathered.find(origin->line) : gathered.end();
    bool isRead = whole != gathered.end() && i + 1 < all.size() && all[i + 1] == "[";
    text += isRead   ? whole->second + "[" + std::to_string(origin->iteration) + ", "
            : origin ? names[origin->line]
                     : all[i];
    i += isRead;
  }
  return text;
}

void Roller::emit() {
  std::vector<std::string> result(lines.begin(), lines.begin() + std::ptrdiff_t(first));
  for (const auto &[line, value] : initial) {
    if (value != "0") {
      result.push_back(names[line] + " = " + value);
      continue;
    }
    std::string indices = left(line, "", true);
    result.push_back(names[line] + (indices.empty() ? "" : "[" + indices + "]") + " = 0");
  }
  result.push_back("repeat " + counter + " < " + extent + " {");
  for (size_t line = 0; line < period; ++line) {
    result.push_back("  " + bodyLine(line));
    for (const Joined &choice : choices) {
      if (choice.source != line)
        continue;
      std::string text = choice.left;
      text.replace(text.find('@'), 1, counter);
      for (const std::string &token : choice.model)
        text += originOf(token) ? names[line] : token;
      result.push_back("  " + text);
    }
    if (auto whole = gathered.find(line); whole != gathered.end()) {
      std::string own = left(line, "", false);
      result.push_back("  " + whole->second + "[" + left(line, counter, false) + "] = " + names[line] +
                       (own.empty() ? "" : "[" + own + "]"));
    }
  }
  result.push_back("}");
  for (size_t line = first + count * period; line < lines.size(); ++line) {
    if (std::any_of(choices.begin(), choices.end(), [&](auto &each) { return each.lines.contains(line); }))
      continue;
    result.push_back(behind(line));
  }
  for (std::string &line : result)
    std::erase(line, indexMark);
  lines = std::move(result);
}

/// Whether the second iteration reads what the first one gives.
bool Roller::hasCarried(size_t start, size_t length) const {
  std::set<std::string> given;
  for (size_t i = start; i < start + length; ++i)
    given.insert(tokens[i][0]);
  for (size_t i = start + length; i < start + 2 * length; ++i)
    if (std::any_of(tokens[i].begin() + 1, tokens[i].end(), [&](auto &token) { return given.contains(token); }))
      return true;
  return false;
}

/// Whether iterations begin here, `most` of which are looked at.
bool Roller::findRun(size_t start, size_t length, size_t most) {
  if (start + 2 * length > lines.size() || !hasCarried(start, length))
    return false;
  size_t equal = 0, enough = (most - 1) * length;
  while (equal < enough && start + length + equal < lines.size() &&
         shapes[start + equal] == shapes[start + length + equal])
    ++equal;
  first = start;
  period = length;
  base = 0;
  count = 1 + equal / length;
  if (count + 1 < fewestIterations)
    return false;
  origins.clear();
  steps.clear();
  carried.clear();
  initial.clear();
  choices.clear();
  extent.clear();
  gathered.clear();
  for (size_t i = 0; i < count * period; ++i) {
    const Words &line = tokens[first + i];
    if (line.size() < 3 || line[1] == ":" || line[0] == "repeat" ||
        !origins.try_emplace(line[0], Origin{i / period, i % period}).second)
      return false;
  }
  count = verify();
  std::erase_if(origins, [&](const auto &each) { return each.second.iteration >= count; });
  return count + 1 >= fewestIterations && !carried.empty();
}

/// Rolls the iterations that begin here; `used` is the end of those that cannot be, since others read what one gives.
bool Roller::tryAt(size_t start, size_t length, bool needsFirst, size_t &used) {
  if (!findRun(start, length, fewestIterations) || !findRun(start, length, lines.size()))
    return false;
  bool hasFirst = takeFirst();
  if (hasFirst < needsFirst || count < fewestIterations)
    return false;
  if (!takeChoices()) {
    used = std::max(used, first + count * period);
    return false;
  }
  name();
  emit();
  return true;
}

bool Roller::run() {
  findShapes();
  std::vector<size_t> used(longestBody + 1); // by length: where iterations end that are read by others
  for (size_t start = 0; start < lines.size(); ++start)
    for (size_t length = 1; length <= longestBody && start + 2 * length <= lines.size(); ++length) {
      bool isUsed = false;
      for (size_t part = 1; part <= length; ++part)
        isUsed |= length % part == 0 && used[part] > start;
      if (isUsed || shapes[start] != shapes[start + length] || !findRun(start, length, fewestIterations))
        continue;
      // An iteration may begin at any of its lines. The best is where the first one is complete.
      for (size_t shift = 0; shift < length; ++shift)
        if (tryAt(start + shift, length, true, used[length]))
          return true;
      if (tryAt(start, length, false, used[length]))
        return true;
    }
  return false;
}

void plc::import::rollSteps(std::vector<std::string> &lines, const StepSizes &sizes,
                            const std::set<std::string> &kept) {
  std::map<std::string, Extents> collected;
  StepSizes all = sizes;
  all.extentsOf = [&](const std::string &name) {
    auto known = collected.find(name);
    return known == collected.end() ? sizes.extentsOf(name) : known->second;
  };
  while (Roller(lines, all, kept, collected).run())
    ;
}
