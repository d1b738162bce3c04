//===- PassErrors.h - pass errors at the user's line ------------*- C++ -*-===//
#ifndef PLC_LANGUAGE_ERRORS_PASSERRORS_H
#define PLC_LANGUAGE_ERRORS_PASSERRORS_H

#include "plc/Support/Diagnostics.h"
#include "plc/Support/ErrorLimit.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace plc {
struct KeyLocations;
}

namespace plc::language {

/// While it lives, prints errors of passes in the form of the language's own errors: at a location that the user wrote,
/// with the line and a caret. A location inside the standard library becomes a note. An error about a key of a strategy
/// is shown at its value, and the operation that it does not fit is a note. If no plan fits, the key is the note.
class PassErrors {
public:
  /// A note behind errors about one key, from the caller.
  struct Hint {
    llvm::StringRef key;
    std::string text, ofPersistentBuffers; ///< the latter if the shortfall is in persistent buffers (`Lack::buffers`)
  };

  /// `sources` are those that the model was parsed from. The strategy's file is added to them if an error is about it.
  PassErrors(llvm::SourceMgr &sources, mlir::MLIRContext &context, llvm::raw_ostream &os, const KeyLocations &keys,
             Hint hint = {});

  /// The exit code of the first error; 70 (internal) if there was none.
  int getExitCode() const { return exitCode; }

private:
  void print(mlir::Diagnostic &error);
  void printLine(llvm::StringRef kind, mlir::Diagnostic &diagnostic);
  /// The location in the sources; not valid if it is in none of them.
  llvm::SMLoc locationOf(mlir::Location loc);

  /// The location of an offset in the strategy's file.
  llvm::SMLoc locationInStrategy(size_t offset);
  /// The source buffer of a file; 0 if there is none.
  unsigned bufferNamed(llvm::StringRef file);

  llvm::SourceMgr &sources;
  llvm::raw_ostream &os;
  const KeyLocations &keys;
  const Hint hint;
  int exitCode = 70;
  ErrorLimit limit;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace plc::language

#endif
