//===- Library.h - files and the names that they see ------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_LIBRARY_H
#define PLC_LIB_LANGUAGE_ELABORATE_LIBRARY_H

#include "Facts.h"
#include "Syntax/Sizes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace llvm {
class SourceMgr;
}

namespace plc::language {
struct ParseOptions;

/// One file: its definitions, and the names that its bodies see.
struct Unit {
  explicit Unit(Diagnostics &diagnostics) : sizes(diagnostics) {}

  std::string name; // as errors show it
  File file;
  /// Its own dims and those of the files that it uses.
  Sizes sizes;
  /// Its own functions, and the layers and fns of the files that it uses. These win over functions of std.
  llvm::StringMap<const Function *> functions;
  bool isStandard = false;
};

/// The files of a program.
struct Library {
  std::vector<std::unique_ptr<Unit>> units; // the user's main file comes first
  llvm::DenseMap<const Function *, const Unit *> unitOf;
  /// Receives what is found out about names; null if no editor asks.
  Facts *facts = nullptr;
  /// For messages: the `use` that each function of the standard library needs.
  llvm::StringMap<StringRef> standard;

  const Unit &main() const { return *units.front(); }
  /// The names that the body of a function sees.
  const llvm::StringMap<const Function *> &seenBy(const Function &function) const {
    return unitOf.lookup(&function)->functions;
  }
  const Sizes &sizesOf(const Function &function) const { return unitOf.lookup(&function)->sizes; }
};

/// Parses the main file of `sources` and all files that it uses, and evaluates their dims.
void loadFiles(llvm::SourceMgr &sources, const ParseOptions &options, Library &library, Diagnostics &diagnostics);

} // namespace plc::language

#endif
