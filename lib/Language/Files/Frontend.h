//===- Frontend.h - from files to programs ----------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_FILES_FRONTEND_H
#define PLC_LIB_LANGUAGE_FILES_FRONTEND_H

#include "Elaborate/Elaborator.h"
#include "plc/Language/Files/ParseModel.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace plc::language {

/// The files, their functions, and the programs of their models.
class Frontend {
public:
  Frontend(llvm::SourceMgr &sources, const ParseOptions &options, Diagnostics &diagnostics, Facts *facts = nullptr)
      : sources(sources), options(options), diagnostics(diagnostics) {
    library.facts = facts;
  }

  /// Reads and checks all; what is wrong is in the diagnostics.
  void check();
  /// The same, and the program to emit; null after an error.
  const Program *run();

  const Library &files() const { return library; }

private:
  void elaborate();
  Program *selectModel();

  llvm::SourceMgr &sources;
  const ParseOptions &options;
  Diagnostics &diagnostics;
  Library library;
  std::vector<std::unique_ptr<Program>> programs;
};

/// The deepest nesting that is accepted needs more stack than some threads have, so a thread of its own does the work.
void onDeepStack(llvm::function_ref<void()> work);

} // namespace plc::language

#endif
