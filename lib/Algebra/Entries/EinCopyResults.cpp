//===- EinCopyResults.cpp - copies results that are other values ----------===//
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Ein/Provenance.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINCOPYRESULTS
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Gives each result of a model an equation that makes it and no other result (Ein/Rationale.md, "Results are values of
// their own").
class ResultCopier {
public:
  ResultCopier(ein::ModelOp model, StringRef pass)
      : model(model), pass(pass), symbols(model->getParentOp()), first(&model.getBody().front().front()) {
    for (auto call : model.getBody().getOps<ein::CallOp>()) {
      paths.insert(call.getPath());
      if (calleeOf(call).getRole())
        role = ein::BodyRole::F;
    }
  }

  void run() {
    llvm::DenseSet<Equation> taken;
    auto isState = [&](OpOperand &result) {
      return isa<ein::StateNameAttr>(model.getResultNames()[result.getOperandNumber()]);
    };
    // States take their value first: their buffer exists already, so another result of the same value is the copy.
    for (OpOperand &result : model.getBody().front().getTerminator()->getOpOperands())
      if (std::optional<Equation> maker = isState(result) ? makerOf(result.get()) : std::nullopt)
        taken.insert(*maker);
    for (OpOperand &result : model.getBody().front().getTerminator()->getOpOperands()) {
      if (isState(result))
        continue;
      std::optional<Equation> maker = makerOf(result.get());
      if (maker && taken.insert(*maker).second)
        continue;
      remark::passed(result.get().getLoc(),
                     remark::RemarkOpts::name("Copied").category(pass).function(model.getSymName()))
          << remark::add("result '{0}' is copied: it is {1}",
                         ein::textOf(model.getResultNames()[result.getOperandNumber()]),
                         maker ? "another result, too" : "an input or a parameter");
      result.set(copy(result.get(), result.getOperandNumber()));
    }
  }

private:
  /// A value that an equation of a body makes, in one call of it.
  using Equation = std::pair<Operation *, Value>;

  ein::FuncOp calleeOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCallee()); }

  /// The equation that makes a value, through bodies that return an argument. Nullopt for an argument or a parameter of
  /// the model.
  std::optional<Equation> makerOf(Value value) {
    while (auto call = value.getDefiningOp<ein::CallOp>()) {
      ein::FuncOp body = calleeOf(call);
      Value returned = body.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
      auto argument = dyn_cast<BlockArgument>(returned);
      if (!argument)
        return Equation{call, returned};
      if (argument.getArgNumber() >= body.getNumData())
        return std::nullopt;
      value = call.getArgs()[argument.getArgNumber()];
    }
    return std::nullopt;
  }

  /// Copies a value directly after its maker, so that the plan computes the copy where the value is.
  Value copy(Value value, unsigned result) {
    OpBuilder builder(first);
    if (Operation *maker = value.getDefiningOp())
      builder.setInsertionPointAfter(maker);
    std::string name = (model.getSymName() + "." + ein::textOf(model.getResultNames()[result])).str();
    std::string path = name;
    for (unsigned i = 1; !paths.insert(path).second; ++i)
      path = name + "." + std::to_string(i);
    ein::FuncOp body = bodyOf(value, name);
    return ein::CallOp::create(builder, value.getLoc(), value.getType(), body.getSymName(), value,
                               builder.getArrayAttr({}), builder.getArrayAttr({}), path, nullptr)
        .getResult(0);
  }

  // A body that copies a value of this type.
  ein::FuncOp bodyOf(Value value, StringRef name) {
    OpBuilder builder(model);
    Location loc = value.getLoc();
    auto body = ein::FuncOp::create(builder, loc, name, builder.getFunctionType(value.getType(), value.getType()));
    body.setRole(role);
    Block *block = builder.createBlock(&body.getBody(), {}, value.getType(), loc);
    ein::ReturnOp::create(builder, loc, copyOf(builder, block->getArgument(0)));
    symbols.insert(body, body->getIterator());
    return body;
  }

  ein::ModelOp model;
  StringRef pass; // category of the remarks
  SymbolTable symbols;
  Operation *first;
  llvm::StringSet<> paths;
  std::optional<ein::BodyRole> role; // of bodies that compute forward: F after differentiation, else none
};

struct EinCopyResults : algebra::impl::EinCopyResultsBase<EinCopyResults> {
  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::gradient);
    for (ein::ModelOp model : getOperation().getOps<ein::ModelOp>())
      ResultCopier(model, getArgument()).run();
  }
};

} // namespace
