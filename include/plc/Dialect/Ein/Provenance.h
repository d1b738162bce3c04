//===- Provenance.h - the phase and origin of a module's IR -----*- C++ -*-===//
//
// Attributes of a module, which passes leave for the tool that continues from there:
//
//   ein.phase         the last phase whose passes have run
//   ein.program       which program of the model it is
//   ein.outputs       the results that `--ein-entry` kept, unless it kept all
//   ein.numerics_key  the key of the numerics program, from phase `kernels` on
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

/// Reads the attributes of a module. Fails, with an error, if one has another type or names something that does not
/// exist.
llvm::FailureOr<Provenance> provenanceOf(mlir::ModuleOp module);

} // namespace plc::ein

#endif
