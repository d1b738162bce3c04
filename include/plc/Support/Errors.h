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

} // namespace plc

#endif
