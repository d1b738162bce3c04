//===- Provenance.h - how far IR has come, and by what ----------*- C++ -*-===//
//
// Attributes of a module that its passes leave for the tool that goes on from there:
//
//   ein.phase         the last phase whose passes it has behind it
//   ein.program       which program of the model it is, and
//   ein.outputs       of which results, unless of all: what `--ein-entry` kept
//   ein.numerics_key  of the numerics program, from phase `kernels` on
//
// No pass reads them, and no equation depends on them.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_DIALECT_EIN_PROVENANCE_H
#define PLC_DIALECT_EIN_PROVENANCE_H

#include "plc/Support/PhaseKind.h"
#include "plc/Support/ProgramKind.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace plc::ein {

struct Provenance {
  std::optional<PhaseKind> phase;
  std::optional<ProgramKind> program;
  std::vector<std::string> outputs;
  std::string numericsKey;
};

void setPhase(mlir::ModuleOp module, PhaseKind phase);
void setProgram(mlir::ModuleOp module, ProgramKind program, llvm::ArrayRef<std::string> outputs);
void setNumericsKey(mlir::ModuleOp module, llvm::StringRef key);

/// What a module says; fails, with an error, if an attribute is of another type or names what there is not.
llvm::FailureOr<Provenance> provenanceOf(mlir::ModuleOp module);

} // namespace plc::ein

#endif
