//===- Interpreter.h - executes ein programs --------------------*- C++ -*-===//
//
// Executes ein programs of any phase, operation by operation, with every rounding in the order that the operations
// define. It knows no passes, plans or threads. Compiled programs are compared with it by ==.
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

/// An error at run time: a position out of range, or an operation that the interpreter does not execute.
class RunError : public std::runtime_error {
public:
  RunError(mlir::Location location, const std::string &text);
  /// Locations of the equation, see Locations.h.
  std::vector<std::string> locations;
};

class Interpreter {
public:
  /// `!ein.real` runs as `real`, F32 or F64. The module must be verified and outlive the interpreter.
  Interpreter(mlir::ModuleOp module, ElementType real);

  /// The only model of the module, or null.
  ein::ModelOp getModel() const { return model; }
  /// The parameters, in program order.
  llvm::ArrayRef<ein::ParamOp> getParameters() const { return parameters; }
  /// Sets the micro-batch that runs from now on (0 at first). In a ragged model it decides the number of samples, of
  /// which types have the larger one. It also decides the accumulation group of gradient sites.
  void setMicroBatch(int64_t microBatch);
  /// A tensor of zeros of a type, with the current micro-batch's number of samples.
  Tensor makeTensor(mlir::Type type) const;
  /// The element type of tensors of this type in this interpreter.
  ElementType elementOf(mlir::Type type) const;

  /// Sets the value of a parameter in later calls; it must have the parameter's type.
  void setParameter(llvm::StringRef path, Tensor value) { values[path] = std::move(value); }

  /// Runs a body on all its arguments (accumulators may be vacant), returns all its results. Throws RunError.
  std::vector<Tensor> runFunction(ein::FuncOp function, std::vector<Tensor> arguments);

  /// Runs the model on the present micro-batch. Accumulators are the sites, which persist. Throws RunError.
  std::vector<Tensor> runModel(std::vector<Tensor> arguments);

  /// Sets a function that is called after each computing operation, with its inputs and result; null removes it.
  using Watch = std::function<void(mlir::Operation &op, llvm::ArrayRef<Tensor> inputs, const Tensor &result)>;
  void watch(Watch newWatch) { watcher = std::move(newWatch); }

  /// Makes every gradient site vacant. Call it before the first micro-batch of a step.
  void clearSites() { sites.clear(); }
  /// The gradient sites of a parameter since `clearSites`: by accumulation group, then in program order of the forward
  /// calls. Their sum in this order is the gradient.
  std::vector<Tensor> getSites(llvm::StringRef path) const;

private:
  using Environment = llvm::DenseMap<mlir::Value, Tensor>;
  std::vector<Tensor> runBlock(mlir::Block &block, std::vector<Tensor> arguments);
  void runOperation(mlir::Operation &op, Environment &environment);
  void runCall(ein::CallOp call, Environment &environment);
  void runLoop(ein::LoopOp loop, Environment &environment);

  mlir::SymbolTable symbols;
  ElementType real;
  Watch watcher;
  ein::ModelOp model;
  int64_t group = 0;
  std::optional<int64_t> samples; // along batch axes; nullopt: as types say
  llvm::SmallVector<ein::ParamOp> parameters;
  llvm::StringMap<Tensor> values;
  /// Index of the first call of each path: the program order of instances.
  llvm::StringMap<int64_t> instances;
  /// Sites by (group, instance, index in `accumulates`, parameter): several calls of an instance may accumulate.
  std::map<std::tuple<int64_t, int64_t, int64_t, std::string>, Tensor> sites;
};

} // namespace plc::reference

#endif
