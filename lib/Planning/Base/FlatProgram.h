//===- FlatProgram.h - a model as one list of kernel calls ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BASE_FLATPROGRAM_H
#define PLC_LIB_PLANNING_BASE_FLATPROGRAM_H

#include "plc/Dialect/Plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace plc::plan {

/// A value of a flat program.
struct FlatValue {
  enum Origin { Result, Param, Site, Input, Prepared } origin = Result;
  mlir::Type type;
  int64_t call = -1;       ///< Result: who makes it
  mlir::StringAttr name{}; ///< parameter or input
  int64_t site = -1;       ///< Site: index among the parameter's
  int64_t prepared = -1;   ///< Prepared: which of the prepared calls makes it
};

struct FlatCall {
  KernelOp kernel;
  Role role;
  int64_t unit; ///< what it is cut with
  mlir::StringAttr path;
  mlir::Location loc;
  bool sum = false; ///< adds two contributions to a gradient, so it may be cut with what makes them
  std::vector<int64_t> args{},
      results{};                  ///< values; the result of an accumulator is the site, that of an update a new value
  std::vector<int64_t> discard{}; ///< F: results, by number, that are computed again instead of kept
  std::vector<int64_t> again{};   ///< B, W: calls that are computed again before it, by number among those of F
};

/// A model with its bodies inlined. Units are layer calls, each with the loose calls after it, in program order; what is
/// loose before the first layer call goes with it.
struct FlatProgram {
  std::vector<FlatValue> values;
  std::vector<FlatCall> calls;
  std::vector<FlatCall> prepared; ///< of role P, in program order: each stage calls what it needs of them
  std::vector<int64_t> outputs;   ///< values, one per result of the model
  struct Unit {
    std::string name; ///< path of its layer call
    bool layer;       ///< false if the model has loose calls alone
  };
  std::vector<Unit> units;
  std::string unitNoun = "layer call";
  bool isDivided = false; ///< units are kernel calls
  struct Instance {
    std::string path, kind;
    int64_t layer;
  };
  std::vector<Instance> layers; ///< instances that belong to layers, in program order; see `plan.layer`
};

struct FlattenOptions {
  bool prepares = false; ///< `prepareCalls`
  bool divides = false;  ///< `divideUnits`
};
/// Fails with a diagnostic if the model is not one of calls to bodies of kernel calls.
mlir::FailureOr<FlatProgram> flatten(ein::ModelOp model, FlattenOptions options = {});

/// Fails with a diagnostic where the layer calls of each stage that a strategy gives are not those of the model: a stage without any,
/// or, unless it `mayDiffer`, another sum. An empty balance is none.
mlir::LogicalResult checkBalance(ein::ModelOp model, const FlatProgram &flat, llvm::ArrayRef<int64_t> balance,
                                 bool mayDiffer = false);

/// Moves calls that are the same for all micro-batches and runs to `prepared`: they read no input, no parameter of which
/// there is a gradient, and nothing of other calls; they make no output, and their kernels do not run over the batch where
/// micro-batches have unequal parts of it. What only fills in constants stays, but for what such calls read. Of equal ones the
/// first is left.
void prepareCalls(FlatProgram &flat);

/// Makes each kernel call of F a unit, with calls of B and W that belong to it, so that cuts may divide layers.
void divideUnits(FlatProgram &flat);

/// For each call of W the call behind which it stands in a full backward: the last of B of its instance, and all that the instance's
/// W reads. -1 for other calls, and for what stands before all.
std::vector<int64_t> placesInFullBackward(const FlatProgram &flat);

/// Makes W's calls calls of B, each behind its place (`placesInFullBackward`): the full backward. What W reads then
/// lives no longer than its layer's backward. Of the units for which `joins` is true.
void joinBackward(FlatProgram &flat, llvm::function_ref<bool(int64_t unit)> joins);

} // namespace plc::plan

#endif
