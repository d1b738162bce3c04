//===- UsedFiles.cpp - loads the files that `use` names -------------------===//
//
// Each file is parsed once, and evaluated after the files that it uses. It sees its own definitions and those of the
// files that it names, but not of those that these use. So a library may change what it is built on. A dim wins over
// the same dim of a file that its file uses, so dims that need no used file are evaluated first.
//
//===----------------------------------------------------------------------===//
#include "Elaborate/Builtins.h"
#include "Elaborate/Library.h"
#include "Syntax/Parser.h"
#include "StandardLibrary.h"
#include "plc/Language/Files/ParseModel.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <map>

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;
using plc::Diagnostics;

namespace {
/// Loads files depth first. `open` holds the files that are being read, and so finds cycles.
class Loader {
public:
  Loader(llvm::SourceMgr &sources, const ParseOptions &options, Library &library, Diagnostics &diagnostics)
      : sources(sources), options(options), library(library), diagnostics(diagnostics) {}
  void run();

private:
  /// A file that is being read, and the `use` that asks for it.
  struct Opened {
    std::string path; // without symbolic links, so that two names of one file are one file
    const UseDecl *use;
    const Unit *unit = nullptr;
  };

  Unit &parse(unsigned buffer, Opened opened, bool isStandard);
  void defineOwn(Unit &unit);
  std::vector<std::pair<const Unit *, const UseDecl *>> takeUses(Unit &unit);
  const Unit *find(const UseDecl &use, const Unit &user);
  const Unit *findStandard(const UseDecl &use);
  const Unit *openFile(const UseDecl &use, const Unit &user);
  std::pair<std::string, std::string> pathOf(const UseDecl &use, const Unit &user);
  std::vector<const Sizes *> usersOf(StringRef path);
  void checkOneValue(const Unit &used, const UseDecl &use, llvm::ArrayRef<const Sizes *> users);
  void checkWins(const Unit &unit, const Unit &used);
  bool refuseCycle(const UseDecl &use, StringRef path);
  void takeNames(Unit &unit, const Unit &used, const UseDecl &use);
  void takeSizes(Unit &unit, const Unit &used, const UseDecl &use);
  void checkOverrides();

  llvm::SourceMgr &sources;
  const ParseOptions &options;
  Library &library;
  Diagnostics &diagnostics;
  llvm::StringMap<const Unit *> standard, files; // by `use` and by path
  std::vector<Opened> open;
  /// The dims of a file that need none of a file that it uses. Known first, so they can win over those.
  std::map<const Unit *, Sizes> own;
};
} // namespace

void Loader::run() {
  StringRef name = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  // The standard library comes first, since files may use it. The main file is still unit 0.
  library.units.push_back(nullptr);
  for (const StandardFile &file : standardLibrary()) {
    unsigned id = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file.text, file.name), SMLoc());
    Unit &unit = parse(id, {file.name.str(), nullptr}, /*isStandard=*/true);
    standard[file.use] = &unit;
    for (const Function *function : unit.file.functions)
      if (function->kind != Function::Optimizer)
        library.standard.try_emplace(function->name, file.use);
  }
  llvm::SmallString<128> path;
  if (llvm::sys::fs::real_path(name, path))
    path = name;
  parse(sources.getMainFileID(), {path.str().str(), nullptr}, /*isStandard=*/false);
  checkOverrides();
}

/// The unit of a file, with the files that it uses.
Unit &Loader::parse(unsigned buffer, Opened opened, bool isStandard) {
  bool isMain = buffer == sources.getMainFileID();
  std::unique_ptr<Unit> &slot = isMain ? library.units.front() : library.units.emplace_back();
  slot = std::make_unique<Unit>(diagnostics);
  Unit &unit = *slot; // `units` grows below
  unit.name = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  unit.isStandard = isStandard;
  parseFile(sources.getMemoryBuffer(buffer)->getBuffer(), unit.file, diagnostics);
  const auto overrides = isStandard ? decltype(options.overrides)() : options.overrides;
  StringRef batch = isStandard ? StringRef() : StringRef(library.main().file.batch);
  std::vector<const Sizes *> users = usersOf(opened.path);
  Sizes &first = own.try_emplace(&unit, diagnostics).first->second;
  size_t mark = diagnostics.mark();
  first.define(unit.file, overrides, batch, options.batches, users);
  diagnostics.rewind(mark); // its errors come again below
  opened.unit = &unit;
  open.push_back(opened);
  defineOwn(unit);
  auto used = takeUses(unit);
  open.pop_back();
  unit.sizes.define(unit.file, overrides, batch, options.batches, users);
  for (auto [other, use] : used)
    checkWins(unit, *other);
  return unit;
}

/// Whether two definitions of a name are an optimizer's rules for parameters of other axes.
static bool areForms(const Function &a, const Function &b) {
  auto axesOf = [](const Function &optimizer) {
    return optimizer.arguments.empty() ? 0 : optimizer.arguments[0].axes.size();
  };
  return a.kind == Function::Optimizer && b.kind == Function::Optimizer && axesOf(a) != axesOf(b);
}

/// Adds a file's own functions. Names of built-in functions and second definitions are errors.
void Loader::defineOwn(Unit &unit) {
  for (const Function *function : unit.file.functions) {
    library.unitOf[function] = &unit;
    if (builtinOf(function->name) != Builtin::None) {
      diagnostics.error(function->location, "'" + function->name + "' is built in, it cannot be defined");
      continue;
    }
    auto [earlier, isNew] = unit.functions.try_emplace(function->name, function);
    if (!isNew && !areForms(*function, *earlier->second))
      diagnostics.error(function->location, "'" + function->name + "' is defined twice")
          .note(earlier->second->location, "the first definition is here");
  }
}

/// Names of files come first, because they win over those of std.
std::vector<std::pair<const Unit *, const UseDecl *>> Loader::takeUses(Unit &unit) {
  std::vector<std::pair<const Unit *, const UseDecl *>> used;
  for (const UseDecl &use : unit.file.uses)
    if (const Unit *found = find(use, unit);
        found && llvm::none_of(used, [&](const auto &other) { return other.first == found; }))
      used.emplace_back(found, &use);
  llvm::stable_sort(used, [](const auto &a, const auto &b) { return !a.first->isStandard && b.first->isStandard; });
  for (auto [found, use] : used) {
    takeNames(unit, *found, *use);
    takeSizes(unit, *found, *use);
  }
  return used;
}

const Unit *Loader::find(const UseDecl &use, const Unit &user) {
  return use.isFile ? openFile(use, user) : findStandard(use);
}

const Unit *Loader::findStandard(const UseDecl &use) {
  if (const Unit *unit = standard.lookup(use.path))
    return unit;
  std::string known;
  for (const StandardFile &file : standardLibrary())
    known += (known.empty() ? "'" : ", '") + file.use.str() + "'";
  StringRef last = StringRef(use.path).rsplit('.').second;
  diagnostics.error(use.location, "unknown library '" + use.path + "', expected " + known +
                                      "; a file stands in quotes: '" + "use \"" +
                                      (last.empty() ? StringRef(use.path) : last) + ".ein\"'");
  return nullptr;
}

/// The name of a used file as errors show it, and its path without symbolic links.
std::pair<std::string, std::string> Loader::pathOf(const UseDecl &use, const Unit &user) {
  llvm::SmallString<128> shown(use.path), path;
  if (!user.isStandard && llvm::sys::path::is_relative(shown)) {
    shown = llvm::sys::path::parent_path(user.name);
    llvm::sys::path::append(shown, use.path);
  }
  // A file that an editor has open may not exist on the disk.
  if (llvm::sys::fs::real_path(shown, path)) {
    path = shown;
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  }
  return {shown.str().str(), path.str().str()};
}

/// The dims of the files being read that use this file, the outermost file's first.
std::vector<const Sizes *> Loader::usersOf(StringRef path) {
  std::vector<const Sizes *> users;
  for (const Opened &file : open)
    if (llvm::any_of(file.unit->file.uses,
                     [&](const UseDecl &use) { return use.isFile && pathOf(use, *file.unit).second == path; }))
      users.push_back(&own.at(file.unit));
  return users;
}

/// A file is evaluated once, so all files that use it must give its dims one value.
void Loader::checkOneValue(const Unit &used, const UseDecl &use, llvm::ArrayRef<const Sizes *> users) {
  for (const DimDecl &dim : used.file.dims) {
    const Size *size = used.sizes.find(dim.name);
    bool isOwn = true; // no file that asks for the value here defines the size
    auto differ = [&](std::optional<int64_t> value, SMLoc location) {
      if (!value || !size->value || *value == *size->value)
        return false;
      diagnostics
          .error(use.location, "the size '" + dim.name + "' of '" + used.name + "' is " + Twine(*size->value) +
                                   " by one definition and " + Twine(*value) +
                                   " by another; a 'dim' of a file that uses all of these files wins over both")
          .note(size->location, "one is here")
          .note(location, "the other is here");
      return true;
    };
    for (const Sizes *user : users)
      if (const Size *theirs = user->find(dim.name)) {
        isOwn = false;
        if (differ(theirs->value, theirs->location))
          break;
      }
    if (isOwn && size->location != dim.location && !size->overridden)
      differ(used.sizes.evaluate(*dim.value), dim.location);
  }
}

/// Reads a file, named relative to the folder of the file that uses it.
const Unit *Loader::openFile(const UseDecl &use, const Unit &user) {
  if (!StringRef(use.path).ends_with(".ein")) {
    diagnostics.error(use.location, "found the file '" + use.path + "', expected one whose name ends in '.ein'");
    return nullptr;
  }
  auto [shown, path] = pathOf(use, user);
  if (refuseCycle(use, path))
    return nullptr;
  if (const Unit *known = files.lookup(path)) {
    checkOneValue(*known, use, usersOf(path));
    return known;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      options.readFile ? options.readFile(shown) : llvm::MemoryBuffer::getFile(shown, /*IsText=*/true);
  if (!text) {
    diagnostics.error(use.location, "cannot read '" + shown + "': " + text.getError().message());
    return nullptr;
  }
  const Unit &unit = parse(sources.AddNewSourceBuffer(std::move(*text), use.location), {path, &use}, false);
  files[path] = &unit;
  checkOneValue(unit, use, usersOf(path));
  return &unit;
}

/// Reports a file that uses itself, with the files in between.
bool Loader::refuseCycle(const UseDecl &use, StringRef path) {
  auto begin = llvm::find_if(open, [&](const Opened &file) { return file.path == path; });
  if (begin == open.end())
    return false;
  Diagnostic &error = diagnostics.error(use.location, "'" + use.path + "' uses itself");
  for (const Opened &between : llvm::make_range(begin + 1, open.end()))
    error.note(between.use->location, "through '" + between.use->path + "', which is used here");
  return true;
}

/// Adds the functions of a used file. Models and optimizers are compiled in their own file, so they are not passed on.
void Loader::takeNames(Unit &unit, const Unit &used, const UseDecl &use) {
  for (const Function *function : used.file.functions) {
    if (function->kind == Function::Model || function->kind == Function::Optimizer)
      continue;
    auto [earlier, isNew] = unit.functions.try_emplace(function->name, function);
    const Function &other = *earlier->second;
    if (isNew || used.isStandard)
      continue; // any other definition wins over std's
    diagnostics
        .error(use.location, "'" + function->name + "' is defined in '" + used.name + "' and in '" +
                                 library.unitOf.lookup(&other)->name + "'; rename one of them")
        .note(function->location, "one is here")
        .note(other.location, "the other is here");
  }
}

/// Adds the dims of a used file that the file itself does not define. The same dim may arrive through two files.
void Loader::takeSizes(Unit &unit, const Unit &used, const UseDecl &use) {
  for (const DimDecl &dim : used.file.dims) {
    if (own.at(&unit).find(dim.name))
      continue;
    const Size *size = used.sizes.find(dim.name);
    const Size *other = unit.sizes.find(dim.name);
    if (!other)
      unit.sizes.bind(dim.name, *size);
    else if (other->location != size->location)
      diagnostics.error(use.location, "the size '" + dim.name + "' is defined in two files that are used")
          .note(size->location, "one is here")
          .note(other->location, "the other is here");
  }
}

/// Reports a dim that would win over one of a used file, but needs that file's sizes for its value.
void Loader::checkWins(const Unit &unit, const Unit &used) {
  for (const DimDecl &dim : used.file.dims)
    if (const Size *first = own.at(&unit).find(dim.name); first && !first->value && unit.sizes.find(dim.name)->value)
      diagnostics
          .error(first->location, "'" + dim.name + "' wins over the size of '" + used.name +
                                      "', so its value cannot use sizes of used files; define them here, too")
          .note(dim.location, "the other is here");
}

/// Every override must name a dim of one of the user's files.
void Loader::checkOverrides() {
  llvm::StringSet<> known;
  for (const auto &unit : library.units)
    for (const DimDecl &dim : unit->file.dims)
      if (!unit->isStandard)
        known.insert(dim.name);
  for (const auto &[name, value] : options.overrides)
    if (!known.contains(name))
      diagnostics.error(SMLoc(), "'-D " + name + "=" + Twine(value) + "' names no dim of this file" +
                                     (library.main().file.uses.empty() ? "" : " or of one that it uses"));
}

void plc::language::loadFiles(llvm::SourceMgr &sources, const ParseOptions &options, Library &library,
                              Diagnostics &diagnostics) {
  Loader(sources, options, library, diagnostics).run();
}
