//===- Interpreter.h - what an ein program means ----------------*- C++ -*-===//
//
// Executes ein programs of any phase operation by operation, with the order of every rounding as the operations say
// (numerics). It knows no passes, plans or threads: compiled programs are compared with it by ==.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_REFERENCE_INTERPRETER_H
#define PLC_REFERENCE_INTERPRETER_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Reference/Tensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace plc::reference {

/// An error while running: a gather out of range, or something that the interpreter does not execute.
class RunError : public std::runtime_error {
public:
  RunError(mlir::Location location, const std::string &text);
  /// Of the equation, see Places.h.
  std::vector<std::string> places;
};

class Interpreter {
public:
  /// `real` (F32 or F64) is what `!ein.real` runs as. The module must be verified and outlive the interpreter.
  Interpreter(mlir::ModuleOp module, ElementType real);

  /// The only model of the module, or null.
  ein::ModelOp getModel() const { return model; }
  /// In program order.
  llvm::ArrayRef<ein::ParamOp> getParameters() const { return parameters; }
  /// Sets the micro-batch that runs from now on; 0 at first. In a ragged model it decides the number of samples, of which
  /// types give the larger one (`ein.model`). It decides the lane of gradient sites that it adds to, too.
  void setMicroBatch(int64_t microBatch);
  /// The tensor of zeros that a type asks for, in the present micro-batch.
  Tensor makeTensor(mlir::Type type) const;
  /// The element type that tensors of this type have here.
  ElementType elementOf(mlir::Type type) const;

  /// The value of a parameter in calls from now on; it must have the parameter's type.
  void setParameter(llvm::StringRef path, Tensor value) { values[path] = std::move(value); }

  /// Runs a body on all its arguments (accumulators may be vacant), returns all its results. Throws RunError.
  std::vector<Tensor> runFunction(ein::FuncOp function, std::vector<Tensor> arguments);

  /// Runs the model on the present micro-batch. Accumulators are the sites, which persist. Throws RunError.
  std::vector<Tensor> runModel(std::vector<Tensor> arguments);

  /// From now on, until it is given nothing: called behind each operation that computes, with its inputs and its result.
  using Watch = std::function<void(mlir::Operation &op, llvm::ArrayRef<Tensor> inputs, const Tensor &result)>;
  void watch(Watch newWatch) { watcher = std::move(newWatch); }

  /// Makes every gradient site vacant. To be called before the first micro-batch of a step.
  void clearSites() { sites.clear(); }
  /// The gradient sites of a parameter since `clearSites`, lane by lane, in program order of the forward calls. Their sum
  /// in this order is its gradient.
  std::vector<Tensor> getSites(llvm::StringRef path) const;

private:
  struct Site {
    std::string parameter;
    Tensor value;
  };
  using Environment = llvm::DenseMap<mlir::Value, Tensor>;
  std::vector<Tensor> runBlock(mlir::Block &block, std::vector<Tensor> arguments);
  void runOperation(mlir::Operation &op, Environment &environment);
  void runCall(ein::CallOp call, Environment &environment);
  void runLoop(ein::LoopOp loop, Environment &environment);

  mlir::SymbolTable symbols;
  ElementType real;
  Watch watcher;
  ein::ModelOp model;
  int64_t lane = 0;
  std::optional<int64_t> samples; // along batch axes; none if all micro-batches have what types say
  llvm::SmallVector<ein::ParamOp> parameters;
  llvm::StringMap<Tensor> values;
  /// Position of the first call of each path: the program order of instances.
  llvm::StringMap<int64_t> instances;
  /// By (lane, instance, position in `accumulates`).
  std::map<std::tuple<int64_t, int64_t, int64_t>, Site> sites;
};

} // namespace plc::reference

#endif
