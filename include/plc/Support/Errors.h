//===- Errors.h - what an error is about ------------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_ERRORS_H
#define PLC_SUPPORT_ERRORS_H

#include "plc/Support/ExitCodes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace plc {

/// Makes an error one after which a tool exits with `code`, which the error carries as its metadata.
inline mlir::InFlightDiagnostic withExitCode(mlir::InFlightDiagnostic error, ExitCode code) {
  error.getUnderlyingDiagnostic()->getMetadata().push_back(mlir::DiagnosticArgument(int64_t(code)));
  return error;
}

/// An error about the options that a pass was given: its input is fine, and other options would do.
inline mlir::InFlightDiagnostic emitOptionError(mlir::Operation *op, const llvm::Twine &text = {}) {
  return withExitCode(op->emitError(text), BadUsage);
}

/// Says which key of a strategy an error is about: whoever has read a strategy shows where its value was given.
inline mlir::InFlightDiagnostic withKey(mlir::InFlightDiagnostic error, const char *key) {
  error.getUnderlyingDiagnostic()->getMetadata().push_back(mlir::DiagnosticArgument(llvm::StringRef(key)));
  return error;
}

/// An error about an option that a key of a strategy gives.
inline mlir::InFlightDiagnostic emitKeyError(mlir::Operation *op, const char *key, const llvm::Twine &text = {}) {
  return withKey(emitOptionError(op, text), key);
}

/// An error that says: the input and the options are fine, but no plan fits them. `why` follows.
inline mlir::InFlightDiagnostic emitNoPlan(mlir::Operation *op, const llvm::Twine &why = {}) {
  return withExitCode(op->emitError(noPlanPrefix) << why, NoPlan);
}

/// What a tool exits with after an error.
inline ExitCode exitCodeOf(mlir::Diagnostic &error) {
  for (const mlir::DiagnosticArgument &argument : error.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Integer)
      return ExitCode(argument.getAsInteger());
  return BadInput;
}

/// The key of a strategy that an error is about; empty if it is about none.
inline llvm::StringRef keyOf(mlir::Diagnostic &error) {
  for (const mlir::DiagnosticArgument &argument : error.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::String)
      return argument.getAsString();
  return {};
}

/// Which of the bytes that are missing: `statics` live through the whole step, so computing values again frees none of them.
enum class Lack : unsigned { any, statics };

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
