//===- ReadStableHlo.h - reads JAX's StableHLO ------------------*- C++ -*-===//
#ifndef PLC_IMPORT_READSTABLEHLO_H
#define PLC_IMPORT_READSTABLEHLO_H

#include "plc/Import/Graph.h"
#include "llvm/ADT/StringRef.h"

namespace plc::import {

/// Whether a text in MLIR is of StableHLO, not of plc's own dialects.
bool isStableHlo(llvm::StringRef text);

/// Reads StableHLO in MLIR's generic form, as JAX prints it:
///   jax.jit(f).lower(x).compiler_ir().operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
/// About 60 operators become those of PyTorch with the same meaning; calls are inlined. What is left has the library
/// "stablehlo" or "chlo" and arguments "arg0", ..; for the caller to list. Indices that JAX wraps around, because they
/// may be negative, are read as they are.
/// Parameters are the leaves of the argument `parametersArgument`, or of all arguments that are pytrees if it is empty.
/// They have no values. Splats are `full` nodes, other constants inputs. The scopes of `jax.named_scope` are modules.
/// Returns nullopt and sets `error`, without the file's name, if the text is not StableHLO.
std::optional<ImportedModel> readStableHlo(llvm::StringRef text, llvm::StringRef parametersArgument,
                                           std::string &error);

} // namespace plc::import

#endif
