//===- Library.h - the files of a program and the names they see -*- C++ -*-===//
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

/// One file: what it defines, and the names that its bodies see.
struct Unit {
  explicit Unit(Diagnostics &diagnostics) : sizes(diagnostics) {}

  std::string name; // as its errors show it
  File file;
  /// Its own dims and those of the files that it uses.
  Sizes sizes;
  /// Its own functions; the layers and fns of the files that it uses; of std what none of these defines.
  llvm::StringMap<const Function *> functions;
  bool isStandard = false;
};

/// The files of a program.
struct Library {
  std::vector<std::unique_ptr<Unit>> units; // the user's main file is the first
  llvm::DenseMap<const Function *, const Unit *> unitOf;
  /// What is found out about names goes here; null: nobody asks.
  Facts *facts = nullptr;
  /// The `use` that brings in each function of the standard library, for messages.
  llvm::StringMap<StringRef> standard;

  const Unit &main() const { return *units.front(); }
  /// The names that the body of a function sees.
  const llvm::StringMap<const Function *> &seenBy(const Function &function) const {
    return unitOf.lookup(&function)->functions;
  }
  const Sizes &sizesOf(const Function &function) const { return unitOf.lookup(&function)->sizes; }
};

/// Parses the main file of `sources` and all that it uses, and evaluates their dims.
void loadFiles(llvm::SourceMgr &sources, const ParseOptions &options, Library &library, Diagnostics &diagnostics);

} // namespace plc::language

#endif
