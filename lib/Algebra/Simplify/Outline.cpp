//===- Outline.cpp - equations between calls become bodies ----------------===//
#include "Base/Bodies.h"
#include "plc/Dialect/Ein/Names.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;

namespace {

using EquationList = SmallVector<Operation *>;

// Gives each reader of a constant or an index its own clone, so that no run depends on another one for it. The list
// comes first: clones must not be cloned again.
void cloneFree(Block &block) {
  EquationList free;
  for (Operation &op : block)
    if (isa<ein::ConstantOp, ein::IotaOp>(op))
      free.push_back(&op);
  for (Operation *op : free) {
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*op)->getResult(0));
    }
    op->erase();
  }
}

// The maximal runs of equations between calls, in program order.
SmallVector<EquationList> listsOf(Block &block) {
  SmallVector<EquationList> runs(1);
  for (Operation &op : block) {
    if (isa<ein::CallOp, ein::ReturnOp>(op))
      runs.emplace_back();
    else
      runs.back().push_back(&op);
  }
  llvm::erase_if(runs, [](const EquationList &run) { return run.empty(); });
  return runs;
}

// Makes a body of each run. Equal runs share one body, so they are compiled once.
class Outliner {
public:
  explicit Outliner(ein::ModelOp model) : model(model), symbols(model->getParentOp()) {
    model.walk([&](ein::CallOp call) { paths.insert(call.getPath()); });
  }

  // Replaces a run by a call. Inputs are values from outside of the run, outputs are those that others read.
  void outline(const EquationList &run) {
    llvm::SetVector<Value> inputs, outputs;
    for (Operation *op : run) {
      for (Value operand : op->getOperands())
        // Arguments of the model and results of earlier calls or runs.
        if (!operand.getDefiningOp() || !llvm::is_contained(run, operand.getDefiningOp()))
          inputs.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !llvm::is_contained(run, user); }))
          outputs.insert(result);
    }
    std::string path = unusedPath(nameOf(outputs.getArrayRef()));
    ein::FuncOp body = bodyOf(run, inputs.getArrayRef(), outputs.getArrayRef(), path);
    OpBuilder builder(run.back());
    // Behind the whole run, where all of its inputs exist.
    builder.setInsertionPointAfter(run.back());
    auto call = ein::CallOp::create(builder, outputs[0].getLoc(), ValueRange(outputs.getArrayRef()).getTypes(),
                                    body.getSymName(), inputs.getArrayRef(), builder.getArrayAttr({}),
                                    builder.getArrayAttr({}), path, nullptr);
    for (auto [output, result] : llvm::zip(outputs.takeVector(), call.getResults()))
      output.replaceUsesWithIf(result, [&](OpOperand &use) { return !llvm::is_contained(run, use.getOwner()); });
    // In reverse, so that readers go before what they read.
    for (Operation *op : llvm::reverse(run))
      op->erase();
  }

private:
  // The name of a run: its first output that is a result of the model, else the source's name for it.
  std::string nameOf(ArrayRef<Value> outputs) {
    ein::ModelOp owner = model;
    Operation *end = &owner.getBody().front().back();
    for (auto [index, operand] : llvm::enumerate(end->getOperands()))
      if (llvm::is_contained(outputs, operand))
        return (owner.getSymName() + "." + ein::textOf(owner.getResultNames()[index])).str();
    if (auto name = dyn_cast<NameLoc>(outputs.front().getLoc()))
      return (owner.getSymName() + "." + name.getName().getValue()).str();
    return (owner.getSymName() + ".equations").str();
  }

  // Paths identify calls, so they are unique.
  std::string unusedPath(std::string name) {
    std::string path = name;
    for (unsigned i = 1; !paths.insert(path).second; ++i)
      path = name + "." + std::to_string(i);
    return path;
  }

  // A new body for a run, or an equal earlier one.
  ein::FuncOp bodyOf(const EquationList &run, ArrayRef<Value> inputs, ArrayRef<Value> outputs, StringRef name) {
    OpBuilder builder(model);
    auto type = builder.getFunctionType(ValueRange(inputs).getTypes(), ValueRange(outputs).getTypes());
    auto body = ein::FuncOp::create(builder, outputs[0].getLoc(), name, type);
    Block *block = builder.createBlock(&body.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, block->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : run)
      builder.clone(*op, mapping);
    SmallVector<Value> results;
    for (Value output : outputs)
      results.push_back(mapping.lookup(output));
    ein::ReturnOp::create(builder, outputs[0].getLoc(), results);
    // Compared with the bodies of other runs alone: bodies of the source keep their names.
    for (ein::FuncOp earlier : made) {
      if (earlier.getFunctionType() == type &&
          OperationEquivalence::isRegionEquivalentTo(&earlier.getBody(), &body.getBody(),
                                                     OperationEquivalence::IgnoreLocations)) {
        body.erase();
        return earlier;
      }
    }
    symbols.insert(body, body->getIterator());
    made.push_back(body);
    return body;
  }

  ein::ModelOp model;
  SymbolTable symbols;
  llvm::StringSet<> paths;
  SmallVector<ein::FuncOp> made;
};

} // namespace

void algebra::outlineEquations(ein::ModelOp model) {
  Block &block = model.getBody().front();
  cloneFree(block);
  Outliner outliner(model);
  for (const EquationList &run : listsOf(block))
    outliner.outline(run);
}
