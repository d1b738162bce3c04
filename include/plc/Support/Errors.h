//===- Errors.h - metadata of errors ----------------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_ERRORS_H
#define PLC_SUPPORT_ERRORS_H

#include "plc/Support/ExitCodes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace plc {

/// Attaches an exit code to an error, as its metadata: tools read that, never the text.
inline mlir::InFlightDiagnostic withExitCode(mlir::InFlightDiagnostic error, ExitCode code) {
  error.getUnderlyingDiagnostic()->getMetadata().push_back(mlir::DiagnosticArgument(int64_t(code)));
  return error;
}

/// An error about the options of a pass: other options would work on the same input.
inline mlir::InFlightDiagnostic emitOptionError(mlir::Operation *op, const llvm::Twine &text = {}) {
  return withExitCode(op->emitError(text), BadUsage);
}

/// Attaches the key of a strategy to an error, so that the reader of the strategy can show where its value was given.
inline mlir::InFlightDiagnostic withKey(mlir::InFlightDiagnostic error, const char *key) {
  error.getUnderlyingDiagnostic()->getMetadata().push_back(mlir::DiagnosticArgument(llvm::StringRef(key)));
  return error;
}

/// An error about a pass option that a key of a strategy sets.
inline mlir::InFlightDiagnostic emitKeyError(mlir::Operation *op, const char *key, const llvm::Twine &text = {}) {
  return withKey(emitOptionError(op, text), key);
}

/// An error that no plan fits, though input and options are valid. `why` follows.
inline mlir::InFlightDiagnostic emitNoPlan(mlir::Operation *op, const llvm::Twine &why = {}) {
  return withExitCode(op->emitError(noPlanPrefix) << why, NoPlan);
}

/// The exit code of a tool after this error; BadInput unless one is attached.
inline ExitCode exitCodeOf(mlir::Diagnostic &error) {
  for (const mlir::DiagnosticArgument &argument : error.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Integer)
      return ExitCode(argument.getAsInteger());
  return BadInput;
}

/// The key of a strategy that an error is about; empty if there is none.
inline llvm::StringRef keyOf(mlir::Diagnostic &error) {
  for (const mlir::DiagnosticArgument &argument : error.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::String)
      return argument.getAsString();
  return {};
}

/// The kind of a memory shortfall. `buffers`: of persistent buffers, so recomputation cannot help.
enum class Lack : unsigned { any, buffers };

inline mlir::InFlightDiagnostic withLack(mlir::InFlightDiagnostic error, Lack lack) {
  error.getUnderlyingDiagnostic()->getMetadata().push_back(mlir::DiagnosticArgument(unsigned(lack)));
  return error;
}

inline Lack lackOf(mlir::Diagnostic &error) {
  for (const mlir::DiagnosticArgument &argument : error.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Unsigned)
      return Lack(argument.getAsUnsigned());
  return Lack::any;
}

} // namespace plc

#endif
