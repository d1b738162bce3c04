//===- Frontend.h - from files to programs ----------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_FILES_FRONTEND_H
#define PLC_LIB_LANGUAGE_FILES_FRONTEND_H

#include "Elaborate/Elaborator.h"
#include "plc/Language/Files/ParseModel.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace plc::language {

/// Reads the files of a program, and elaborates their functions and the programs of their models.
class Frontend {
public:
  /// `facts`, if not null, receives what is found out about names, for editors.
  Frontend(llvm::SourceMgr &sources, const ParseOptions &options, Diagnostics &diagnostics, Facts *facts = nullptr)
      : sources(sources), options(options), diagnostics(diagnostics) {
    library.facts = facts;
  }

  /// Reads and checks everything. Errors are in the diagnostics.
  void check();
  /// The same, and returns the program to emit. Null after an error.
  const Program *run();

  const Library &files() const { return library; }

private:
  void elaborate();
  void checkOptimizer(const Function &optimizer);
  Program *selectModel();

  llvm::SourceMgr &sources;
  const ParseOptions &options;
  Diagnostics &diagnostics;
  Library library;
  std::vector<std::unique_ptr<Program>> programs;
};

/// Runs `work` on a thread with a large stack. The deepest nesting that is accepted needs more than some threads have.
void onDeepStack(llvm::function_ref<void()> work);

} // namespace plc::language

#endif
