//===- Errors.h - what an error is about ------------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_ERRORS_H
#define PLC_SUPPORT_ERRORS_H

#include "plc/Support/ExitCodes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace plc {

/// Errors that mean "the request is fine but no plan fits it" start with this.
inline constexpr llvm::StringLiteral noPlanFits = "no plan fits: ";

inline constexpr llvm::StringLiteral aboutOptions = "about options";

/// An error about the options that a pass was given: its input is fine, and other options would do.
inline mlir::InFlightDiagnostic emitOptionError(mlir::Operation *op, const llvm::Twine &text = {}) {
  mlir::InFlightDiagnostic error = op->emitError(text);
  error.getUnderlyingDiagnostic()->getMetadata().push_back(mlir::DiagnosticArgument(aboutOptions));
  return error;
}

/// What a tool exits with after an error.
inline ExitCode exitCodeOf(mlir::Diagnostic &error) {
  for (const mlir::DiagnosticArgument &argument : error.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::String &&
        argument.getAsString() == aboutOptions)
      return BadUsage;
  return llvm::StringRef(error.str()).starts_with(noPlanFits) ? NoPlan : BadInput;
}

} // namespace plc

#endif
