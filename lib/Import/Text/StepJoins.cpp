//===- StepJoins.cpp - joins of what the steps of a loop give -------------===//
#include "Text/StepJoins.h"

#include "Text/Tokens.h"

using namespace plc;
using namespace plc::import;

std::optional<Origin> plc::import::originOf(const Origins &origins, const std::string &name) {
  auto found = origins.find(name);
  return found == origins.end() ? std::nullopt : std::optional(found->second);
}

namespace {
/// Reads one join.
class JoinReader {
public:
  JoinReader(const std::vector<std::string> &lines, const std::vector<Words> &tokens, const Origins &origins,
             size_t count)
      : lines(lines), tokens(tokens), origins(origins), count(count) {}
  bool takeConditions(size_t line);
  bool takeClauses(size_t line);

  Joined choice;

private:
  bool takePart(const Words &part, size_t k);

  const std::vector<std::string> &lines;
  const std::vector<Words> &tokens;
  const Origins &origins;
  size_t count;
};
} // namespace

/// A part of a choice or a join: "h[b, e]" for position k.
bool JoinReader::takePart(const Words &part, size_t k) {
  if (choice.model.empty())
    choice.model = part;
  if (part.size() != choice.model.size())
    return false;
  for (size_t i = 0; i < part.size(); ++i) {
    std::optional<Origin> origin = originOf(origins, part[i]);
    if (!origin && part[i] != choice.model[i])
      return false;
    if (!origin)
      continue;
    if (origin->iteration != k || choice.source.value_or(origin->line) != origin->line)
      return false;
    choice.source = origin->line;
  }
  return choice.source.has_value();
}

/// "y[b, t: S, e] = if t == 0 then h[b, e] else if t == 1 then h2[b, e] else .."
bool JoinReader::takeConditions(size_t line) {
  const std::string &text = lines[line];
  size_t right = text.find("] = if ");
  if (right == std::string::npos)
    return false;
  std::string left = text.substr(0, right), rest = text.substr(right + 4), index = tokensOf(rest)[2], separator;
  size_t k = 0;
  for (bool isLast = false; !isLast; ++k) {
    std::string head = "if " + index + " == " + std::to_string(k) + " then ";
    size_t end = rest.find(" else ");
    isLast = !rest.starts_with(head) || end == std::string::npos;
    if (!takePart(tokensOfRule(isLast ? rest : rest.substr(head.size(), end - head.size())), k))
      return false;
    rest.erase(0, isLast ? 0 : end + 6);
  }
  size_t axis = 0;
  choice.left = left.substr(0, left.find('[') + 1);
  for (size_t begin = choice.left.size(); begin <= left.size(); ++axis) {
    size_t end = std::min(left.find(", ", begin), left.size());
    std::string each = left.substr(begin, end - begin);
    bool isIndex = each == index || each.starts_with(index + ":");
    choice.axis = isIndex ? axis : choice.axis;
    choice.left += separator + (isIndex ? "@" : each);
    separator = ", ";
    begin = end + 2;
  }
  choice.left += "] = ";
  choice.lines = {line};
  return k == count && std::find(choice.model.begin(), choice.model.end(), indexMark + index) == choice.model.end();
}

/// "y[b, 0, e] = h[b, e]" and "y[b, 1, e] += h2[b, e]" and so on, in rows.
bool JoinReader::takeClauses(size_t line) {
  const Words &name = tokens[line];
  for (size_t first = line; first > 0 && tokens[first - 1][0] == name[0]; line = --first) {
  }
  if (tokens[line][1] == ":") // its extents, which the loop gives
    choice.lines.insert(line++);
  Words model;
  for (size_t k = 0; k < count; ++k, ++line) {
    size_t right = line < lines.size() ? lines[line].find(k ? "] += " : "] = ") : std::string::npos;
    if (right == std::string::npos || tokens[line][0] != name[0])
      return false;
    Words left = tokensOf(lines[line].substr(0, right));
    model = k ? model : left;
    if (left.size() != model.size() || !takePart(tokensOfRule(lines[line].substr(right + (k ? 5 : 4))), k))
      return false;
    std::string text;
    size_t axis = 0;
    bool isFound = false;
    for (size_t i = 0; i < left.size(); ++i) {
      bool isCount = !isFound && left[i] == std::to_string(k) && model[i] == "0";
      if (!isCount && left[i] != model[i])
        return false;
      choice.axis = isCount ? axis : choice.axis;
      isFound |= isCount;
      axis += left[i] == ",";
      text += isCount ? "@" : left[i];
    }
    if (!isFound)
      return false;
    choice.left = text + "] = ";
    choice.lines.insert(line);
  }
  return line >= lines.size() || tokens[line][0] != name[0];
}

std::optional<Joined> plc::import::findJoined(const std::vector<std::string> &lines, const std::vector<Words> &tokens,
                                              const Origins &origins, size_t count, size_t line) {
  JoinReader conditions(lines, tokens, origins, count), clauses(lines, tokens, origins, count);
  if (conditions.takeConditions(line))
    return conditions.choice;
  return clauses.takeClauses(line) ? std::optional(clauses.choice) : std::nullopt;
}
