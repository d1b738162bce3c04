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

/// IR that was read, and where its way begins. What it does not say itself is found by what it holds.
struct GivenIR {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ein::Provenance provenance;
  PhaseKind phase = PhaseKind::ein; ///< the last one behind it
};

/// Reads the main file of `sources`, and adds those of its locations that can be read, so that errors show their lines.
/// Null after an error, which is reported.
std::optional<GivenIR> readIR(llvm::SourceMgr &sources, mlir::MLIRContext &context);

/// Takes over into a strategy what IR has fixed: precision, micro-batches, lanes. An error, of the key, where the strategy itself
/// says otherwise.
mlir::LogicalResult takeOver(const GivenIR &ir, strategy::Strategy &strategy, mlir::Operation *subject);

/// The keys that a strategy gives and that only passes read which the IR has behind it.
std::vector<std::string> findLateKeys(const GivenIR &ir, const Program &program, const strategy::Strategy &strategy);

} // namespace plc::driver

#endif
