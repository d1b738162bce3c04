//===- EinSliceParameters.cpp - a parameter for each slice that is read ---===//
//
// Where w[0, m, d], w[1, m, d] and w[2, m, d] are the only reads of w, the model gets a parameter for each of them.
// Their gradients are then those of three parameters. The gradient of one whole would be a sum of three tensors of its
// size, each of zeros but for one slice.
//
//===----------------------------------------------------------------------===//
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "plc/Algebra/Base/SlicedParameters.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Names.h"

#include "mlir/IR/SymbolTable.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINSLICEPARAMETERS
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

using AxisOf = DenseMap<StringAttr, int64_t>; // of sliced parameters, by path

RankedTensorType withoutAxis(Type type, int64_t axis) {
  return RankedTensorType::Builder(cast<RankedTensorType>(type)).dropDim(axis);
}

SmallVector<ein::ShardAttr> shardsOf(StringAttr path, int64_t axis, int64_t count) {
  return llvm::map_to_vector(llvm::seq<int64_t>(0, count), [&](int64_t index) {
    return ein::ShardAttr::get(path.getContext(), path.getValue(), axis, index, count);
  });
}

// Replaces a parameter by its slices.
void slice(ein::ParamOp param, int64_t axis) {
  OpBuilder builder(param);
  auto type = cast<RankedTensorType>(param.getType());
  for (ein::ShardAttr shard : shardsOf(param.getSymNameAttr(), axis, type.getDimSize(axis))) {
    auto made = cast<ein::ParamOp>(builder.clone(*param));
    made.setSymName(ein::textOf(shard));
    made.setType(withoutAxis(type, axis));
    made.setShardAttr(shard);
    made.setSlice(true);
    if (std::optional<ArrayAttr> sizes = param.getSizes()) {
      SmallVector<Attribute> left(sizes->begin(), sizes->end());
      left.erase(left.begin() + axis);
      made.setSizesAttr(builder.getArrayAttr(left));
    }
    if (std::optional<ArrayAttr> moments = param.getMoments())
      made.setMomentsAttr(builder.getArrayAttr(
          llvm::map_to_vector(moments->getAsRange<DenseI64ArrayAttr>(), [&](DenseI64ArrayAttr axes) -> Attribute {
            return builder.getDenseI64ArrayAttr(ein::ParamOp::axesOfSlice(axes.asArrayRef(), axis));
          })));
  }
  param.erase();
}

// Reads a slice in place of its whole at a constant position.
void readSlice(ein::GatherOp gather, int64_t axis, ValueRange slices) {
  OpBuilder builder(gather);
  EquationBuilder build(builder, gather.getLoc(), domainOf(gather));
  SmallVector<Access> inputs = inputsOf(gather);
  Access &table = inputs.front();
  int64_t number = -table.dims[axis]; // of the constant among the inputs
  table.value = slices[*constantPosition(gather, axis)];
  table.dims.erase(table.dims.begin() + axis);
  for (int64_t &dim : table.dims)
    dim += dim < -number; // positions behind the constant move up
  inputs.erase(inputs.begin() + number);
  Dims result = resultOf(gather).dims;
  // A body returns none of its arguments.
  gather.getResult().replaceAllUsesWith(inputs.size() > 1 ? build.gather(inputs, result)
                                                          : build.map(ein::Function::id, table, result));
  gather.erase();
}

// Replaces parameters of a body by their slices. `axes` has an axis for each parameter that is sliced.
void sliceArguments(ein::FuncOp body, ArrayRef<std::optional<int64_t>> axes) {
  Block &block = body.getBody().front();
  for (size_t number = axes.size(); number-- > 0;) {
    if (!axes[number])
      continue;
    BlockArgument whole = block.getArgument(body.getNumData() + number);
    unsigned at = whole.getArgNumber();
    SmallVector<Value> slices;
    for (int64_t index = 0, count = shapeOf(whole)[*axes[number]]; index < count; ++index)
      slices.push_back(
          block.insertArgument(at + 1 + index, withoutAxis(whole.getType(), *axes[number]), whole.getLoc()));
    for (Operation *user : llvm::make_early_inc_range(whole.getUsers()))
      readSlice(cast<ein::GatherOp>(user), *axes[number], slices);
    block.eraseArgument(at);
  }
  int64_t numData = body.getNumData();
  body.setNumParams(block.getNumArguments() - numData);
  body.setFunctionType(
      FunctionType::get(body.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}

struct EinSliceParameters : algebra::impl::EinSliceParametersBase<EinSliceParameters> {
  using EinSliceParametersBase::EinSliceParametersBase;

  void runOnOperation() override {
    if (!modelOf(getOperation()))
      return signalPassFailure();
    AxisOf axes = slicedParameters(getOperation(), llvm::to_vector(sizes));
    if (axes.empty())
      return;
    SymbolTable symbols(getOperation());
    llvm::SmallDenseSet<StringAttr> known;
    getOperation().walk([&](ein::CallOp call) {
      SmallVector<Attribute> params;
      SmallVector<std::optional<int64_t>> ofBody;
      for (auto name : call.getParams().getAsRange<FlatSymbolRefAttr>()) {
        auto found = axes.find(name.getAttr());
        ofBody.push_back(found == axes.end() ? std::nullopt : std::optional(found->second));
        if (!ofBody.back()) {
          params.push_back(name);
          continue;
        }
        int64_t count =
            cast<RankedTensorType>(symbols.lookup<ein::ParamOp>(name.getAttr()).getType()).getDimSize(found->second);
        for (ein::ShardAttr shard : shardsOf(name.getAttr(), found->second, count))
          params.push_back(FlatSymbolRefAttr::get(&getContext(), ein::textOf(shard)));
      }
      call.setParamsAttr(ArrayAttr::get(&getContext(), params));
      if (known.insert(call.getCalleeAttr().getAttr()).second)
        sliceArguments(symbols.lookup<ein::FuncOp>(call.getCallee()), ofBody);
    });
    for (auto param : llvm::make_early_inc_range(getOperation().getOps<ein::ParamOp>()))
      if (auto found = axes.find(param.getSymNameAttr()); found != axes.end())
        slice(param, found->second);
  }
};

} // namespace
