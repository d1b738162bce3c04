//===- Names.h - names of arguments, results and shards ---------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_NAMES_H
#define PLC_DIALECT_EIN_NAMES_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/InputSource.h"
#include "plc/Support/ShardName.h"

namespace plc::ein {

/// The text of a name or a shard for people, files and the numerics key: `x`, `state(attention.0.k)`, `grad(x)`.
std::string textOf(mlir::Attribute name);
/// The text of each name of a list.
mlir::ArrayAttr textsOf(mlir::ArrayAttr names);

/// A shard as a struct; nullopt for null.
std::optional<ShardName> findShard(ShardAttr shard);
/// The source of the values of an argument of this name.
InputSource sourceOf(mlir::Attribute name);
/// The input or parameter whose gradient a result of this name is; empty for other names.
std::string sourceOfGradient(mlir::Attribute name);

/// Whether a list has this plain name.
bool hasName(mlir::ArrayAttr names, llvm::StringRef plain);
/// The index of a name in a list; nullopt if it is not there.
std::optional<unsigned> findName(mlir::ArrayAttr names, mlir::Attribute name);

/// Whether a result is the value of a rule, named by the path of its layer.
bool isRuleValue(mlir::Attribute name);

/// The shard of the `ein.state` of a name; null for a whole state and for other names.
ShardAttr shardOfState(mlir::Attribute name, const mlir::SymbolTable &symbols);

/// Fails, with an error, if one of the names of `what` is plain and has a parenthesis.
llvm::LogicalResult verifyPlainNames(mlir::Operation *op, llvm::StringRef what, mlir::ArrayAttr names);

} // namespace plc::ein

#endif
