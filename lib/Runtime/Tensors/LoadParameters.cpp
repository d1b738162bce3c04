// Matches parameters with tensors by name, type and shape, and loads them.
#include "plc/Runtime/Tensors/LoadParameters.h"

#include "WeightFile.h"
#include "plc/Runtime/Tensors/ConvertTensor.h"
#include "plc/Support/Nearest.h"

#include <algorithm>
#include <charconv>

namespace plc::runtime {

namespace {

using State = ParameterMatch::State;

/// A parameter, with the names under which the file may have it.
struct Wanted {
  TensorInfo info;
  const ParameterRule *rule = nullptr;
  std::vector<std::string> names; // in the file, in order of preference
  NamePattern::Values values;     // of the rule's placeholders
};

/// Finds the tensor of each parameter. It reads headers alone, so all problems are found before any data is read.
class Matcher {
public:
  Matcher(const std::string &file, const WeightFile &contents, const ParameterMap *map)
      : file(file), map(map), contents(contents) {}

  // In this order: sources, fits, unused tensors; then missing ones, because unused tensors are the likely
  // misspellings.
  ParameterMatches match(const std::vector<ParameterInfo> &parameters) {
    ParameterMatches matches;
    matches.file = file;
    matches.parameters.resize(parameters.size());
    matches.byMap = map;
    matches.metadata = contents.metadata;
    std::vector<Wanted> wanted;
    for (size_t i = 0; i < parameters.size(); ++i) {
      wanted.push_back(wantedOf(parameters[i], matches.parameters[i]));
      findSource(wanted[i], matches.parameters[i]);
    }
    for (size_t i = 0; i < parameters.size(); ++i)
      if (ParameterMatch &each = matches.parameters[i]; !each.source.empty())
        fit(wanted[i], each);
    for (const auto &[source, count] : used)
      matches.numTied += count - 1;
    listUnused(matches);
    for (size_t i = 0; i < parameters.size(); ++i)
      if (ParameterMatch &each = matches.parameters[i]; each.state == State::Missing)
        setMissing(wanted[i], matches.unused, each);
    if (map)
      for (const ParameterRule &rule : map->rules)
        if (std::none_of(wanted.begin(), wanted.end(), [&](const Wanted &each) { return each.rule == &rule; }))
          matches.idle.push_back(&rule);
    return matches;
  }

private:
  // All names that a parameter may have in the file: each `from` with each prefix.
  Wanted wantedOf(const ParameterInfo &parameter, ParameterMatch &match) const {
    Wanted wanted{parameter.tensor(), map ? map->find(parameter.path) : nullptr, {}, {}};
    if (!wanted.rule) {
      wanted.names.push_back(parameter.path);
      return wanted;
    }
    match.location = map->location(wanted.rule->line, wanted.rule->column);
    if (wanted.rule->frozen && !parameter.frozen)
      throw Error(BadInput, match.location,
                  "parameter '" + parameter.path +
                      "' is frozen here, but the model trains it; write 'frozen' behind its "
                      "initializer in the model");
    wanted.values = *wanted.rule->parameter.match(parameter.path);
    if (!wanted.rule->stack.empty())
      wanted.values[wanted.rule->stack] = "0";
    wanted.names = map->namesOf(*wanted.rule, wanted.values);
    return wanted;
  }

  void findSource(Wanted &wanted, ParameterMatch &match) {
    for (size_t i = 0; i < wanted.names.size() && match.source.empty(); ++i)
      if (contents.tensors().count(wanted.names[i])) {
        match.source = wanted.names[i];
        ++used[match.source];
        if (wanted.rule && !wanted.rule->stack.empty())
          findStacked(wanted, i, match);
      }
    if (match.source.empty() && map &&
        std::any_of(map->initial.begin(), map->initial.end(),
                    [&](const NamePattern &each) { return each.match(wanted.info.name).has_value(); }))
      match.state = State::Initial;
  }

  // The tensors to be stacked behind the one of name `index`: numbers 1, 2, .. as long as the file has them.
  void findStacked(Wanted &wanted, size_t index, ParameterMatch &match) {
    for (int64_t number = 1;; ++number) {
      wanted.values[wanted.rule->stack] = std::to_string(number);
      std::vector<std::string> names = map->namesOf(*wanted.rule, wanted.values);
      if (index >= names.size() || !contents.tensors().count(names[index]))
        return;
      match.stacked.push_back(names[index]);
      ++used[names[index]];
    }
  }

  // Decides Found or Unfit by type and shape. Applies the rule's transformations to the shape.
  void fit(const Wanted &wanted, ParameterMatch &match) {
    const StoredTensor &original = contents.tensors().at(match.source);
    TensorInfo info = original;
    match.state = State::Unfit;
    if (isUnreadable(original, match))
      return;
    std::string done;
    for (const std::string &name : match.stacked)
      if (const StoredTensor &each = contents.tensors().at(name); isUnreadable(each, match)) {
        return;
      } else if (each.shape != info.shape || each.type != info.type) {
        match.found = each.typeText();
        match.problem = "tensor '" + name + "' of " + file + " is " + each.typeText() + ", but '" + match.source +
                        "', behind which it is stacked, " + info.typeText();
        return;
      }
    if (wanted.rule && !wanted.rule->stack.empty()) {
      info.shape.insert(info.shape.begin(), 1 + static_cast<int64_t>(match.stacked.size()));
      done = "stack";
    }
    if (wanted.rule) {
      std::vector<std::vector<int64_t>> shapes = wanted.rule->wantedShapes(wanted.info);
      for (size_t i = 0; i < shapes.size(); ++i) {
        const Turn &each = wanted.rule->turns[i];
        if (auto wrong = turnShape(each, shapes[i], info)) {
          match.found = info.typeText();
          match.location = map->location(each.line, each.column);
          match.problem = "'" + std::string(nameOfChoice(each.kind)) + "' of tensor '" + match.source + "', " +
                          original.typeText() + " in " + file + ", for parameter '" + wanted.info.name + "', " +
                          wanted.info.typeText() + ": " + *wrong;
          return;
        }
        done += std::string(done.empty() ? "" : ", ") + nameOfChoice(each.kind);
      }
    }
    if (isConvertible(info.type, wanted.info.type) && info.shape == wanted.info.shape) {
      match.state = State::Found;
      match.rule = wanted.rule;
      return;
    }
    match.found = info.typeText();
    if (wanted.rule)
      match.problem = "tensor '" + match.source + "' of " + file + " is " + original.typeText() +
                      (done.empty() ? "" : ", after " + done + " " + match.found) + ", but parameter '" +
                      wanted.info.name + "' is " + wanted.info.typeText() + remedy(info, wanted.info);
    else
      match.problem = "tensor '" + wanted.info.name + "' is " + match.found + ", expected " + wanted.info.typeText();
  }

  bool isUnreadable(const StoredTensor &tensor, ParameterMatch &match) const {
    if (tensor.isReadable())
      return false;
    match.found = tensor.typeText();
    match.problem = tensor.unreadableText() + (match.location.empty() ? "" : ", in " + file);
    return true;
  }

  // The transformation that would probably make a tensor fit.
  static std::string remedy(const TensorInfo &found, const TensorInfo &wanted) {
    std::vector<int64_t> reversed(found.shape.rbegin(), found.shape.rend());
    if (found.shape.size() > 1 && reversed == wanted.shape)
      return "; 'transpose = true' turns it so";
    return found.shape != wanted.shape && found.numElements() == wanted.numElements()
               ? "; 'reshape = true' gives it that shape"
               : "";
  }

  // Tensors that no parameter uses and no pattern ignores.
  void listUnused(ParameterMatches &matches) const {
    for (const auto &[name, info] : contents.tensors())
      if (!used.count(name) &&
          (!map || std::none_of(map->ignore.begin(), map->ignore.end(), [&, &name = name](const NamePattern &each) {
            return std::any_of(map->prefixes.begin(), map->prefixes.end(), [&](const std::string &prefix) {
              return name.starts_with(prefix) && each.match(name.substr(prefix.size()));
            });
          })))
        matches.unused.push_back(info);
  }

  // The error for a missing tensor. It suggests a tensor with a similar name, or the only one of that shape.
  void setMissing(const Wanted &wanted, const std::vector<StoredTensor> &unused, ParameterMatch &match) const {
    std::string name = wanted.names.front(), text = "tensor '" + name + "' is missing";
    if (wanted.rule)
      text = "tensor '" + name + "' for parameter '" + wanted.info.name + "', " + wanted.info.typeText() +
             ", is missing in " + file;
    Nearest nearest(name);
    const StoredTensor *sameShape = nullptr;
    bool several = false;
    for (const StoredTensor &each : unused) {
      nearest.offer(each.name);
      if (each.shape == wanted.info.shape)
        several |= sameShape != nullptr, sameShape = &each;
    }
    bool onlyShape = nearest.found().empty() && sameShape && !several;
    match.missing = name;
    match.problem = text + (onlyShape ? "; only '" + sameShape->name + "' has its shape" : nearest.text());
  }

  const std::string &file;
  const ParameterMap *map;
  const WeightFile &contents;
  std::map<std::string, size_t> used; // by tensor: its number of parameters
};

} // namespace

size_t ParameterMatches::count(State state) const {
  return static_cast<size_t>(
      std::count_if(parameters.begin(), parameters.end(), [&](const auto &each) { return each.state == state; }));
}

std::string listNames(const std::vector<std::string> &names, size_t shown) {
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), shown); ++i)
    list += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > shown)
    list += " and " + std::to_string(names.size() - shown) + " more";
  return list;
}

std::string ParameterMatches::mapHint() const {
  std::vector<std::string> names;
  for (const StoredTensor &each : unused)
    names.push_back(each.name);
  return "the file has " + std::to_string(names.size()) + " of other names: " + listNames(names, 3) +
         "; '--map FILE.toml' says which of them is which parameter, as the maps in examples/maps do";
}

std::vector<std::string> ParameterMatches::notes(const std::vector<const ParameterMatch *> &problems) const {
  // Not tuned: a screen of lines. More than four missing names are no misspellings.
  constexpr size_t mostLines = 20, fewMissing = 4;
  std::vector<std::string> lines, missing;
  for (const ParameterMatch *each : problems)
    if (each->state == State::Missing)
      missing.push_back(each->missing);
  // The file is of another program: one line for all.
  bool together = !byMap && missing.size() > fewMissing;
  if (together)
    lines.push_back(std::to_string(missing.size()) + " tensors are missing: " + listNames(missing, 3));
  for (const ParameterMatch *each : problems)
    if (!together || each->state != State::Missing)
      lines.push_back(each->note());
  bool hints = !byMap && !missing.empty() && !unused.empty();
  if (size_t most = mostLines - hints; lines.size() > most) {
    lines[most - 1] = "and " + std::to_string(lines.size() - most + 1) + " more";
    lines.resize(most);
  }
  if (hints)
    lines.push_back(mapHint());
  return lines;
}

ParameterMatches matchParameters(const std::string &file, const std::vector<ParameterInfo> &parameters,
                                 const ParameterMap *map) {
  return Matcher(file, WeightFile(file), map).match(parameters);
}

void checkMatches(const ParameterMatches &matches, bool mayLack) {
  bool lacksAll = matches.count(State::Missing) == matches.parameters.size();
  std::vector<const ParameterMatch *> problems;
  for (const ParameterMatch &match : matches.parameters)
    if (match.state == State::Unfit || (match.state == State::Missing && (!mayLack || lacksAll)))
      problems.push_back(&match);
  if (problems.empty())
    return;
  std::vector<std::string> notes = matches.notes(problems);
  Error error = fileError(matches.file, std::to_string(problems.size()) + " of " +
                                            std::to_string(matches.parameters.size()) + " parameters cannot be loaded");
  if (problems.size() == 1) {
    error = Error(BadInput, problems[0]->location.empty() ? matches.file : problems[0]->location, problems[0]->problem);
    notes.erase(notes.begin());
  }
  for (const std::string &note : notes)
    error.note(note);
  throw error;
}

/// The origin in the metadata of a checkpoint of ours. Other files have none, or other meanings of these keys, so
/// errors are ignored.
static Origin originOf(const std::map<std::string, std::string> &metadata) {
  auto read = [&](const char *key, auto value) {
    auto found = metadata.find(key);
    if (found == metadata.end())
      return decltype(value)();
    const std::string &text = found->second;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : decltype(value)();
  };
  return {std::clamp<int64_t>(read("step", int64_t()), 0, INT32_MAX), read("seed", uint64_t())};
}

ParameterMatches loadParameters(const std::string &file, Engine &engine, bool mayLack, const ParameterMap *map) {
  WeightFile contents(file);
  const std::vector<ParameterInfo> &parameters = engine.parameters();
  ParameterMatches matches = Matcher(file, contents, map).match(parameters);
  checkMatches(matches, mayLack);
  // One tensor at a time: the weights of a model may take half of the memory.
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterMatch &match = matches.parameters[i];
    if (match.state != State::Found)
      continue;
    Tensor tensor = contents.read(match.source);
    for (const std::string &name : match.stacked) {
      Bytes more = contents.read(name).data;
      tensor.data.insert(tensor.data.end(), more.begin(), more.end());
    }
    if (match.rule && !match.rule->stack.empty())
      tensor.info.shape.insert(tensor.info.shape.begin(), 1 + static_cast<int64_t>(match.stacked.size()));
    if (match.rule) {
      std::vector<std::vector<int64_t>> shapes = match.rule->wantedShapes(parameters[i].tensor());
      for (size_t turn = 0; turn < shapes.size(); ++turn)
        turnTensor(match.rule->turns[turn], shapes[turn], tensor);
    }
    convertTensor(file, "tensor '" + match.source + "'", parameters[i].type, tensor);
    engine.writeParameter(i, tensor.data.data());
  }
  engine.setOrigin(originOf(matches.metadata));
  return matches;
}

} // namespace plc::runtime
