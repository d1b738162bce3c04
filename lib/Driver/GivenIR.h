//===- GivenIR.h - a compilation that goes on from IR -----------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_GIVENIR_H
#define PLC_LIB_DRIVER_GIVENIR_H

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Driver/Phases.h"
#include "plc/Strategy/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace plc::driver {

/// Whether a file is IR, as text or bytecode, by its name or by how it begins.
bool isIR(const llvm::MemoryBuffer &file);

/// IR that was read, and where its pipeline continues. Attributes say it; operations say it where attributes are
/// missing.
struct GivenIR {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ein::Provenance provenance;
  PhaseKind phase = PhaseKind::ein; ///< the last phase that it has behind it
};

/// Reads the main file of `sources`, and adds those of its locations that can be read, so that errors show their lines.
/// Null after an error, which is reported.
std::optional<GivenIR> readIR(llvm::SourceMgr &sources, mlir::MLIRContext &context);

/// Copies into a strategy what IR has fixed: precision, micro-batches, accumulation groups. Fails with an error for the
/// key if the strategy itself sets another value.
mlir::LogicalResult takeOver(const GivenIR &ir, strategy::Strategy &strategy, mlir::Operation *subject);

/// The keys that a strategy sets in vain: only passes read them that the IR has behind it.
std::vector<std::string> findLateKeys(const GivenIR &ir, const Program &program, const strategy::Strategy &strategy);

} // namespace plc::driver

#endif
