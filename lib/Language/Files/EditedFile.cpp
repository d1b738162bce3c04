//===- EditedFile.cpp - what an editor asks about a .ein file -------------===//
#include "plc/Language/Files/EditedFile.h"
#include "Elaborate/Builtins.h"
#include "Frontend.h"
#include "Syntax/Lexer.h"
#include "Syntax/References.h"
#include "StandardLibrary.h"
#include "Unused.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include <map>

using namespace plc::language;

struct EditedFile::State {
  llvm::SourceMgr sources;
  ParseOptions options;
  std::unique_ptr<Diagnostics> diagnostics;
  Facts facts;
  std::unique_ptr<Frontend> front;

  /// The names in order of the text, and grouped by meaning. They are found when first needed.
  const std::vector<Reference> &names() const {
    if (references.empty())
      findNames();
    return references;
  }
  using Key = std::tuple<Reference::Kind, const Function *, StringRef>;
  static Key keyOf(const Reference &name) {
    return {name.kind, name.kind == Reference::Callee ? nullptr : name.function, name.name};
  }
  mutable std::vector<Reference> references;
  mutable std::map<Key, std::vector<const Reference *>> byKey;
  void findNames() const;

  const File &file() const { return front->files().main().file; }
  StringRef text() const { return sources.getMemoryBuffer(sources.getMainFileID())->getBuffer(); }
  size_t offsetOf(StringRef name) const { return name.data() - text().data(); }
  Range rangeOf(StringRef name) const { return {offsetOf(name), offsetOf(name) + name.size()}; }
  /// The word at a location of the text, or one byte.
  Range wordAt(SMLoc location) const;
  /// A location in another file, as that of the `use` that leads to it.
  SMLoc inMain(SMLoc location) const;
  // The name at an offset; null if there is none.
  const Reference *at(size_t offset) const;
  // The definition that a use refers to; null if it is not in the text.
  const Reference *definitionOf(const Reference &use) const;
  // The lines that use a definition, in words.
  std::string linesOf(const Reference &definition) const;
  std::string typeOf(const Reference &definition) const;
  // The text of a hover.
  std::string textOf(const Reference &name) const;
  // The last function that begins before an offset.
  const Function *functionAt(size_t offset) const;
};

EditedFile::EditedFile(StringRef path, StringRef text, const ParseOptions &options) : state(std::make_unique<State>()) {
  state->options = options;
  state->sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, path), SMLoc());
  state->diagnostics = std::make_unique<Diagnostics>(state->sources);
  state->front = std::make_unique<Frontend>(state->sources, state->options, *state->diagnostics, &state->facts);
  // Warnings only where there is no error: a name may be used in a rule that did not parse.
  onDeepStack([&] {
    state->front->check();
    if (state->diagnostics->empty())
      warnOfUnused(state->front->files(), {}, *state->diagnostics);
  });
}

void EditedFile::State::findNames() const {
  onDeepStack([&] { references = referencesOf(file()); });
  llvm::sort(references, [](const Reference &a, const Reference &b) { return a.name.data() < b.name.data(); });
  for (const Reference &name : references)
    byKey[keyOf(name)].push_back(&name);
}

EditedFile::~EditedFile() = default;

EditedFile::Range EditedFile::State::wordAt(SMLoc location) const {
  size_t begin = location.getPointer() - text().data();
  size_t length = text().substr(begin).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).size();
  return {begin, begin + std::max<size_t>(length, 1)};
}

SMLoc EditedFile::State::inMain(SMLoc location) const {
  while (location.isValid()) {
    unsigned buffer = sources.FindBufferContainingLoc(location);
    if (buffer == sources.getMainFileID())
      break;
    location = sources.getParentIncludeLoc(buffer);
  }
  return location;
}

/// An error in another file is shown at the `use`, with its own location in the text.
std::vector<EditedFile::Message> EditedFile::messages() const {
  std::vector<Message> messages;
  for (const Diagnostic *found : state->diagnostics->sorted()) {
    SMLoc location = state->inMain(found->location);
    std::string text = found->text;
    if (location != found->location && location.isValid()) {
      unsigned buffer = state->sources.FindBufferContainingLoc(found->location);
      auto [line, column] = state->sources.getLineAndColumn(found->location, buffer);
      text = state->sources.getMemoryBuffer(buffer)->getBufferIdentifier().str() + ":" + std::to_string(line) + ":" +
             std::to_string(column) + ": " + text;
    }
    Message &message = messages.emplace_back(
        Message{location.isValid() ? state->wordAt(location) : Range{0, 1}, text, found->isWarning, {}});
    for (const Diagnostic::Note &note : found->notes)
      if (note.location.isValid() && state->inMain(note.location) == note.location)
        message.notes.emplace_back(state->wordAt(note.location), note.text);
  }
  return messages;
}

const Reference *EditedFile::State::at(size_t offset) const {
  const char *location = text().data() + offset;
  auto behind = llvm::partition_point(names(), [&](const Reference &name) { return name.name.data() <= location; });
  if (behind == names().begin() || std::prev(behind)->name.end() < location)
    return nullptr;
  return &*std::prev(behind);
}

/// The last definition before the use, in another statement: in `x = f(x)` the use refers to the `x` before.
const Reference *EditedFile::State::definitionOf(const Reference &use) const {
  const Reference *best = nullptr;
  Key key = keyOf(use);
  for (const Function *function : {std::get<1>(key), static_cast<const Function *>(nullptr)}) {
    std::get<1>(key) = function;
    auto group = byKey.find(key);
    for (const Reference *other : group == byKey.end() ? std::vector<const Reference *>() : group->second) {
      bool isOther = !use.statement || other->statement != use.statement || other == &use;
      bool before = other->name.data() <= use.name.data() && isOther;
      if (other->defines && (!best || before))
        best = other;
    }
    if (best || use.kind != Reference::Size)
      break; // only a size may be the file's
  }
  return best;
}

static unsigned lineOf(const llvm::SourceMgr &sources, StringRef name) {
  return sources.getLineAndColumn(SMLoc::getFromPointer(name.data()), sources.getMainFileID()).first;
}

std::string EditedFile::State::linesOf(const Reference &definition) const {
  std::string lines;
  unsigned last = 0;
  for (const Reference *use : byKey.find(keyOf(definition))->second) {
    if (use->defines || definitionOf(*use) != &definition)
      continue;
    unsigned line = lineOf(sources, use->name);
    if (line != last)
      lines += (lines.empty() ? "" : ", ") + std::to_string(line);
    last = line;
  }
  return lines.empty() ? "used nowhere"
                       : "used in line" + std::string(lines.find(',') == lines.npos ? " " : "s ") + lines;
}

/// `real[4, 3]`; empty if it is not known.
std::string EditedFile::State::typeOf(const Reference &definition) const {
  auto found = facts.types.find(definition.name.data());
  if (found == facts.types.end())
    return "";
  const Facts::Type &type = found->second;
  std::string extents;
  for (const Axis &axis : type.axes)
    extents += (extents.empty() ? "" : ", ") + std::to_string(axis.extent);
  return nameOf(type.element).str() + (extents.empty() ? "" : "[" + extents + "]");
}

/// A function's header as it stands, and the comment above it.
static std::pair<std::string, std::string> headerOf(const llvm::SourceMgr &sources, const Function &function) {
  unsigned buffer = sources.FindBufferContainingLoc(function.location);
  StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  size_t begin = text.rfind('\n', function.location.getPointer() - text.data()) + 1; // npos + 1 is 0
  StringRef header = text.substr(begin).take_until([](char c) { return c == '{' || c == '\n'; }).rtrim();
  std::string comment;
  StringRef above = text.take_front(begin).drop_back(begin ? 1 : 0);
  while (!above.empty()) {
    size_t start = above.rfind('\n') + 1;
    StringRef line = above.substr(start);
    if (!line.consume_front("#"))
      break;
    comment = line.trim().str() + (comment.empty() ? "" : " ") + comment;
    above = above.take_front(start ? start - 1 : 0);
  }
  return {header.str(), comment};
}

static std::string code(StringRef text) { return "`" + text.str() + "`"; }

std::string EditedFile::State::textOf(const Reference &name) const {
  switch (name.kind) {
  case Reference::Callee: {
    auto function = front->files().main().functions.find(name.name);
    if (function == front->files().main().functions.end())
      return builtinOf(name.name) == Builtin::None ? "" : code(name.name) + " is built in";
    auto [header, comment] = headerOf(sources, *function->second);
    return "```ein\n" + header + "\n```" + (comment.empty() ? "" : "\n" + comment);
  }
  case Reference::Size: {
    const Size *size = front->files().main().sizes.find(name.name);
    const Reference *definition = definitionOf(name);
    if (!size || !size->value || (definition && definition->function))
      return "size " + code(name.name) + ", which calls bind";
    return "size " + code((name.name + " = " + llvm::Twine(*size->value)).str());
  }
  case Reference::Turn: return "iteration " + code(name.name) + " of a `repeat`, a number from 0";
  case Reference::Axis: return "axis " + code(name.name) + " of the header";
  case Reference::Index: {
    const Expr *value = name.statement ? name.statement->value : nullptr;
    auto rule = value ? facts.rules.find(value->text.begin()) : facts.rules.end();
    std::string text = "index " + code(name.name);
    if (rule == facts.rules.end())
      return text;
    const std::vector<Index> &indices = *rule->second.indices;
    for (const Index &index : indices)
      if (index.name == name.name && index.extent)
        text += ", extent " + std::to_string(index.extent);
    for (const auto &[index, term] : rule->second.summed)
      if (indices[index].name == name.name)
        text += "; summed over " + code(term);
    return text;
  }
  case Reference::Tensor: {
    const Reference *definition = definitionOf(name);
    if (!definition)
      return "";
    std::string type = typeOf(*definition);
    return code(name.name.str() + (type.empty() ? "" : ": ") + type) + "; " + linesOf(*definition);
  }
  }
  llvm_unreachable("unknown kind");
}

std::optional<EditedFile::Hover> EditedFile::hover(size_t offset) const {
  const Reference *name = state->at(offset);
  std::string text = name ? state->textOf(*name) : "";
  return text.empty() ? std::nullopt : std::optional(Hover{state->rangeOf(name->name), text});
}

std::optional<EditedFile::Location> EditedFile::definition(size_t offset) const {
  const Reference *name = state->at(offset);
  if (!name)
    return std::nullopt;
  StringRef found = name->kind == Reference::Index ? StringRef() : StringRef(name->name);
  if (const Reference *definition = state->definitionOf(*name)) {
    found = definition->name;
  } else if (name->kind == Reference::Index) {
    found = {state->text().data() + locationsOfIndex(offset).front().begin, name->name.size()};
  } else if (name->kind == Reference::Callee) {
    const Function *function = state->front->files().main().functions.lookup(name->name);
    if (!function || state->front->files().unitOf.lookup(function)->isStandard)
      return std::nullopt;
    found = function->name;
  } else if (const Size *size = state->front->files().main().sizes.find(name->name);
             size && name->kind == Reference::Size) {
    found = {size->location.getPointer(), name->name.size()};
  } else {
    return std::nullopt;
  }
  SMLoc location = SMLoc::getFromPointer(found.data());
  unsigned buffer = state->sources.FindBufferContainingLoc(location);
  auto [line, column] = state->sources.getLineAndColumn(location, buffer);
  return Location{state->sources.getMemoryBuffer(buffer)->getBufferIdentifier().str(), line, column, found.size()};
}

std::vector<EditedFile::Range> EditedFile::locationsOfIndex(size_t offset) const {
  std::vector<Range> locations;
  const Reference *name = state->at(offset);
  if (name && name->kind == Reference::Index)
    for (const Reference &other : state->names())
      if (other.kind == name->kind && other.name == name->name && other.statement == name->statement)
        locations.push_back(state->rangeOf(other.name));
  return locations;
}

std::string EditedFile::wrongAsIndex(size_t offset, StringRef name) const {
  const Reference *index = state->at(offset);
  if (!index || index->kind != Reference::Index)
    return "no index of a rule stands here; only those are renamed";
  bool isWord = !name.empty() && (name[0] == '_' || (name[0] >= 'a' && name[0] <= 'z')) &&
                llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isWord || isReserved(name))
    return ("'" + name + "' is no name for an index: letters, digits and '_', from a lower-case letter on").str();
  for (const Reference &other : state->names())
    if (other.statement == index->statement && other.name == name)
      return ("the rule has a '" + name + "' already").str();
  return "";
}

const Function *EditedFile::State::functionAt(size_t offset) const {
  const Function *found = nullptr;
  for (const Function *function : file().functions)
    if (offsetOf(function->name) <= offset)
      found = function;
  return found;
}

std::vector<EditedFile::Completion> EditedFile::complete(size_t offset) const {
  StringRef before = state->text().take_front(offset);
  StringRef word = before.take_back(
      before.size() - before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") - 1);
  StringRef line = before.take_back(before.size() - before.rfind('\n') - 1); // npos + 1 is 0
  std::vector<Completion> all;
  llvm::StringSet<> seen;
  auto offer = [&](Completion::Kind kind, StringRef name, std::string detail = "", std::string documentation = "") {
    if (name.starts_with(word) && seen.insert(name).second)
      all.push_back({kind, name.str(), std::move(detail), std::move(documentation)});
  };
  // After `use` only libraries fit.
  if (line.ltrim().starts_with("use ")) {
    for (const StandardFile &file : standardLibrary())
      offer(Completion::Library, line.contains('.') ? file.use.drop_front(4) : file.use);
    return all;
  }
  const Function *function = state->functionAt(offset);
  for (const Reference &name : state->names()) {
    bool here = function && name.function == function;
    if (here && name.kind == Reference::Tensor && name.defines) {
      offer(Completion::Tensor, name.name, state->typeOf(name));
    } else if (name.kind == Reference::Size && name.defines && (here || !name.function)) {
      offer(Completion::Size, name.name);
    } else if (here &&
               (name.kind == Reference::Index || name.kind == Reference::Turn || name.kind == Reference::Axis)) {
      offer(Completion::Index, name.name);
    }
  }
  const Unit &main = state->front->files().main();
  for (const auto &entry : main.functions) {
    auto [header, comment] = headerOf(state->sources, *entry.second);
    offer(Completion::Function, entry.first(), header, comment);
  }
  for (const auto &[name, size] : main.sizes.own())
    offer(Completion::Size, name, size.value ? std::to_string(*size.value) : "");
  for (const auto &entry : builtins())
    offer(Completion::Function, entry.first(), "built in");
  for (StringRef known : words())
    offer(Completion::Word, known);
  llvm::sort(all, [](const Completion &a, const Completion &b) { return a.name < b.name; });
  return all;
}
