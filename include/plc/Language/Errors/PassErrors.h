//===- PassErrors.h - what passes report, at the user's line ----*- C++ -*-===//
#ifndef PLC_LANGUAGE_ERRORS_PASSERRORS_H
#define PLC_LANGUAGE_ERRORS_PASSERRORS_H

#include "plc/Support/Diagnostics.h"
#include "plc/Support/ErrorLimit.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace plc {
struct KeyPlaces;
}

namespace plc::language {

/// While it lives, prints the errors that passes report in the form of the language's own: at a place that the user
/// wrote, with the line and a caret; a place inside the standard library is a note. An error about a key of a strategy
/// that was given stands where its value does, and what it does not fit is a note; where no plan fits, the key is.
class PassErrors {
public:
  /// What whoever runs the passes knows of errors about a key; a note behind them.
  struct Hint {
    llvm::StringRef key;
    std::string text, ofStatics; ///< the latter where `Lack::statics` are missing
  };

  /// `sources` are those that the model was parsed from; to which the strategy's file comes if an error is about it.
  PassErrors(llvm::SourceMgr &sources, mlir::MLIRContext &context, llvm::raw_ostream &os, const KeyPlaces &keys,
             Hint hint = {});

  /// Of the first error; 70 (internal) if there was none.
  int getExitCode() const { return exitCode; }

private:
  void print(mlir::Diagnostic &error);
  void printLine(llvm::StringRef kind, mlir::Diagnostic &diagnostic);
  /// Not valid if the place is in none of the sources.
  llvm::SMLoc placeOf(mlir::Location location);

  /// The place of an offset in the strategy's file.
  llvm::SMLoc placeInStrategy(size_t offset);
  unsigned bufferNamed(llvm::StringRef file);

  llvm::SourceMgr &sources;
  llvm::raw_ostream &os;
  const KeyPlaces &keys;
  const Hint hint;
  int exitCode = 70;
  ErrorLimit limit;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace plc::language

#endif
