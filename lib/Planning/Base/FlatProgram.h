//===- FlatProgram.h - a model as one list of kernel calls ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BASE_FLATPROGRAM_H
#define PLC_LIB_PLANNING_BASE_FLATPROGRAM_H

#include "plc/Dialect/Plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace plc::plan {

/// A value of a flat program. A result has a lifetime of its own in each micro-batch; all other values live through the
/// step.
struct FlatValue {
  enum Origin { Result, Param, Site, Input, Precomputed } origin = Result;
  mlir::Type type;
  int64_t call = -1;        ///< Result: the call that makes it
  mlir::Attribute name{};   ///< Param, Site: the parameter's symbol; Input: its name in the model
  int64_t site = -1;        ///< Site: its index among the parameter's sites
  int64_t precomputed = -1; ///< Prepared: the index of the precomputed call that makes it
  ein::ShardAttr shard{};   ///< of a parameter or state, if it is a shard that ranks may share a layer by

  /// The symbol of the parameter of a Param or Site.
  mlir::StringAttr symbol() const { return llvm::cast<mlir::StringAttr>(name); }
};

/// A kernel call of one micro-batch.
struct FlatCall {
  KernelOp kernel;
  Role role;
  int64_t unit; ///< unit of cuts that it belongs to
  mlir::StringAttr path;
  mlir::Location loc;
  bool sum = false; ///< adds two contributions to a gradient, so it may move to the stage that makes both
  std::vector<int64_t> args{},
      results{};                  ///< values; the result of an accumulator is the site, that of an update a new value
  std::vector<int64_t> discard{}; ///< F: indices of results that are recomputed instead of saved
  std::vector<int64_t> again{};   ///< B, W: indices of forward calls that run again before it
};

/// A model with its bodies inlined. A unit is a layer call with the loose calls after it, in program order. Loose calls
/// before the first layer call belong to its unit.
struct FlatProgram {
  std::vector<FlatValue> values;
  std::vector<FlatCall> calls;
  std::vector<FlatCall> precomputed; ///< of role P, in program order; each stage runs those that it needs
  std::vector<int64_t> outputs;      ///< values, one per result of the model
  struct Unit {
    std::string name; ///< path of its layer call
    bool layer;       ///< false if the model has loose calls alone
  };
  std::vector<Unit> units;
  std::string unitNoun = "layer call";
  bool isDivided = false; ///< units are kernel calls instead of layer calls
  struct Instance {
    std::string path, kind;
    int64_t layer;
  };
  std::vector<Instance> layers; ///< instances that are in layers, in program order; see `plan.layer`
};

struct FlattenOptions {
  bool prepares = false; ///< run `precomputedCalls`
  bool divides = false;  ///< run `divideUnits`
};
/// Inlines a model. Fails with a diagnostic if the model holds anything but calls of bodies of kernel calls.
mlir::FailureOr<FlatProgram> flatten(ein::ModelOp model, FlattenOptions options = {});

/// Checks the number of layer calls of each stage that a strategy gives; an empty balance is none. Fails with a
/// diagnostic for a stage without layer calls or, unless it `mayDiffer`, for a sum that is not the model's.
mlir::LogicalResult checkBalance(ein::ModelOp model, const FlatProgram &flat, llvm::ArrayRef<int64_t> balance,
                                 bool mayDiffer = false);

/// Moves calls whose results are equal in all micro-batches and runs to `prepared`, so that they run once.
///   - They read no input, no trained parameter, and no result of other calls.
///   - They make no output, and their kernels do not run over the batch where micro-batches have unequal sizes.
///   - A call that only fills in constants stays, unless another such call reads it.
///   - Of equal calls the first remains; readers of the others read its results.
void precomputedCalls(FlatProgram &flat);

/// Makes each kernel call of F a unit, with the calls of B and W that belong to it, so that cuts may divide layers.
void divideUnits(FlatProgram &flat);

/// For each call of W: the call behind which it runs in a full backward, which is the last of B of its instance and of
/// the operands of the instance's W. -1 for other calls, and for a W that runs before all others.
std::vector<int64_t> positionsInFullBackward(const FlatProgram &flat);

/// Makes the full backward: W's calls become calls of B, each behind its place (`positionsInFullBackward`), in units
/// for which `joins` is true. Their operands then live no longer than their layer's backward. Renumbers the calls.
void joinBackward(FlatProgram &flat, llvm::function_ref<bool(int64_t unit)> joins);

} // namespace plc::plan

#endif
