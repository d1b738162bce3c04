//===- EinProgram.cpp - syntax and verification of programs ---------------===//
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Ein/PositionalText.h"
#include "plc/Support/ResultName.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace plc::ein;

namespace {

template <typename FunctionLike>
ParseResult parseFunctionLike(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, FunctionLike::getFunctionTypeAttrName(result.name), buildType,
      FunctionLike::getArgAttrsAttrName(result.name), FunctionLike::getResAttrsAttrName(result.name));
}

/// Whether an attribute has its default value.
template <typename FunctionLike>
bool isDefault(FunctionLike op, NamedAttribute attribute) {
  typename FunctionLike::Properties defaults;
  FunctionLike::populateDefaultProperties(op->getName(), defaults);
  std::optional<Attribute> value =
      FunctionLike::getInherentAttr(op.getContext(), defaults, attribute.getName().getValue());
  return value && *value == attribute.getValue();
}

template <typename FunctionLike>
void printFunctionLike(OpAsmPrinter &printer, FunctionLike op, NamedAttrList attributes) {
  for (StringRef shown : {op.getSymNameAttrName().getValue(), op.getFunctionTypeAttrName().getValue(),
                          op.getArgAttrsAttrName().getValue(), op.getResAttrsAttrName().getValue(),
                          op.getSymVisibilityAttrName().getValue()})
    attributes.erase(shown);
  printer << ' ';
  if (std::optional<StringRef> visibility = op.getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(op.getSymName());
  function_interface_impl::printFunctionSignature(printer, op, op.getArgumentTypes(), /*isVariadic=*/false,
                                                  op.getResultTypes());
  printer.printOptionalAttrDictWithKeyword(attributes);
  if (op.getBody().empty())
    return;
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

/// The attributes to print. The text that the numerics key hashes has the defaults, too.
template <typename FunctionLike>
NamedAttrList printedAttributes(FunctionLike op) {
  NamedAttrList attributes;
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (PositionalText::isOn() || !isDefault(op, attribute))
      attributes.push_back(attribute);
  return attributes;
}

// (C1) of ein.func and ein.model.
LogicalResult verifyOneBlock(FunctionOpInterface op) {
  Region &body = op.getFunctionBody();
  if (!llvm::hasSingleElement(body))
    return op.emitOpError("has ") << std::distance(body.begin(), body.end()) << " blocks but needs one";
  auto end = dyn_cast_or_null<ReturnOp>(body.front().empty() ? nullptr : &body.front().back());
  if (!end)
    return op.emitOpError("does not end with 'ein.return'");
  ArrayRef<Type> types = op.getResultTypes();
  if (end->getNumOperands() != types.size())
    return end.emitOpError("returns ") << end->getNumOperands() << " values but the function has " << types.size()
                                       << " results";
  for (auto [index, type] : llvm::enumerate(types))
    if (end->getOperand(index).getType() != type)
      return end.emitOpError("returns ") << end->getOperand(index).getType() << " as result #" << index
                                         << " but the function says " << type;
  return success();
}

// (C4) of ein.func and ein.model.
LogicalResult verifySignature(FunctionOpInterface op) {
  auto check = [&](StringRef what, ArrayRef<Type> types) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(types))
      if (!isTensor(type))
        return op.emitOpError(what) << " #" << index << " is " << type
                                    << " but needs to be a tensor with extents above 0 and elements "
                                    << listElementTypes(Domain::Any, /*unchosen=*/true);
    return success();
  };
  return success(succeeded(check("argument", op.getArgumentTypes())) &&
                 succeeded(check("result", op.getResultTypes())));
}

} // namespace

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc location = parser.getCurrentLocation();
  if (failed(parseFunctionLike<FuncOp>(parser, result)))
    return failure();
  // (C5). The role is a string, as the kind is.
  StringAttr name = getRoleAttrName(result.name);
  auto word = dyn_cast_or_null<StringAttr>(result.attributes.get(name));
  if (!word)
    return success();
  std::optional<BodyRole> role = symbolizeBodyRole(word.getValue());
  if (!role)
    return parser.emitError(location, "has role '") << word.getValue() << "' but roles are F, B, W and sum";
  result.attributes.set(name, BodyRoleAttr::get(parser.getContext(), *role));
  return success();
}
void FuncOp::print(OpAsmPrinter &printer) {
  NamedAttrList attributes = printedAttributes(*this);
  if (std::optional<BodyRole> role = getRole(); role || PositionalText::isOn())
    attributes.set(getRoleAttrName(), StringAttr::get(getContext(), role ? stringifyBodyRole(*role) : ""));
  printFunctionLike(printer, *this, attributes.getDictionary(getContext()));
}
ParseResult ModelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<ModelOp>(parser, result);
}
void ModelOp::print(OpAsmPrinter &printer) {
  NamedAttrList attributes = printedAttributes(*this);
  if (PositionalText::isOn()) { // has the texts of names
    attributes.set(getArgNamesAttrName(), textsOf(getArgNames()));
    attributes.set(getResultNamesAttrName(), textsOf(getResultNames()));
  }
  printFunctionLike(printer, *this, attributes.getDictionary(getContext()));
}

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

void ModelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type, ArrayAttr argNames,
                    ArrayAttr resultNames, ArrayRef<int64_t> argBatch, ArrayRef<int64_t> resultBatch, int64_t batch) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getArgNamesAttrName(state.name), argNames);
  state.addAttribute(getResultNamesAttrName(state.name), resultNames);
  state.addAttribute(getArgBatchAttrName(state.name), builder.getDenseI64ArrayAttr(argBatch));
  state.addAttribute(getResultBatchAttrName(state.name), builder.getDenseI64ArrayAttr(resultBatch));
  state.addAttribute(getBatchAttrName(state.name), builder.getI64IntegerAttr(batch));
  state.addRegion();
}

LogicalResult FuncOp::verify() {
  if (failed(verifySignature(*this)) || failed(verifyOneBlock(*this)))
    return failure();
  int64_t inputs = getFunctionType().getNumInputs(), results = getFunctionType().getNumResults();
  // (C3)
  if (getNumParams() > inputs || getNumAccumulators() > std::min(inputs - int64_t(getNumParams()), results))
    return emitOpError("has ") << inputs << " arguments and " << results << " results but says " << getNumParams()
                               << " parameters and " << getNumAccumulators() << " accumulators";
  // (C2)
  for (int64_t i = 1; i <= getNumAccumulators(); ++i)
    if (getFunctionType().getInput(inputs - i) != getFunctionType().getResult(results - i))
      return emitOpError("accumulator ") << getFunctionType().getInput(inputs - i) << " differs from its result "
                                         << getFunctionType().getResult(results - i);
  return success();
}

// (C3), (C6)
static LogicalResult verifyCut(ModelOp model) {
  MicroBatches cut = cutOf(model);
  if (std::optional<int64_t> groups = model.getAccumulationGroups(); groups && *groups < 2)
    return model.emitOpError("has ") << *groups << " accumulation groups but needs 2 or more, or says nothing of them";
  if (failed(cut.verify(model)))
    return failure();
  int64_t ragged = cut.isRagged() && !isUncut(model) ? cut.mostSamples() : 0;
  if (model.getRagged() != ragged)
    return model.emitOpError("has ragged extent ") << model.getRagged() << " but " << cut.batch << " samples in "
                                                   << cut.count << " micro-batches need " << ragged;
  return success(succeeded(cut.verifyTypes(model, "argument", model.getArgNames(), model.getArgumentTypes(),
                                           model.getArgBatch())) &&
                 succeeded(cut.verifyTypes(model, "result", model.getResultNames(), model.getResultTypes(),
                                           model.getResultBatch())));
}

// (C5) of models.
static LogicalResult verifyStates(ModelOp model) {
  auto module = dyn_cast<ModuleOp>(model->getParentOp());
  ArrayAttr arguments = model.getArgNames(), results = model.getResultNames();
  for (auto [index, name] : llvm::enumerate(arguments)) {
    auto state = dyn_cast<StateNameAttr>(name);
    if (!state)
      continue;
    StringRef path = state.getPath();
    if (!module || !module.lookupSymbol<StateOp>(path))
      return model.emitOpError("has a state '") << path << "' that no 'ein.state' declares";
    size_t result = llvm::find(results, name) - results.begin();
    if (result == results.size()) // it keeps its value
      continue;
    Type before = model.getFunctionType().getInput(index), behind = model.getFunctionType().getResult(result);
    if (before != behind || model.getArgBatch()[index] != model.getResultBatch()[result])
      return model.emitOpError("has state '")
             << path << "' of " << before << ", batch axis " << model.getArgBatch()[index] << ", before a run but of "
             << behind << ", batch axis " << model.getResultBatch()[result] << ", behind it";
  }
  for (Attribute name : results)
    if (auto state = dyn_cast<StateNameAttr>(name); state && !llvm::is_contained(arguments, name))
      return model.emitOpError("has state '") << state.getPath() << "' as a result but not as an argument";
  return success();
}

// (C3) of parameters, (C2) of states.
static LogicalResult verifyShard(Operation *op, ShardAttr shard, StringRef symbol) {
  if (shard && symbol != textOf(shard))
    return op->emitOpError("has symbol '") << symbol << "' but is '" << textOf(shard) << "'";
  return success();
}

LogicalResult ParamOp::verify() {
  if (!isTensorOf(Domain::Real, getType()) && !getFrozen()) // (C1)
    return emitOpError("has type ") << getType() << ", whose elements "
                                    << (isNarrow(getType()) ? "only hold numbers" : "are no reals")
                                    << ", but is not frozen";
  if (getReplaced() && (!getFrozen() || !isTensorOf(Domain::Real, getType())))
    return emitOpError("is replaced by steps, but is no frozen tensor of reals");
  int64_t rank = cast<RankedTensorType>(getType()).getRank();
  if (getSizes() && int64_t(getSizes()->size()) != rank) // (C2)
    return emitOpError("has ") << getSizes()->size() << " 'sizes' but " << rank << " axes";
  if (getSlice() && !getShard()) // (C3)
    return emitOpError("is a slice but has no 'shard'");
  if (ShardAttr shard = getShardAttr(); shard && shard.getAxis() >= rank + getSlice()) // (C3)
    return emitOpError("is a shard along axis ") << shard.getAxis() << " but has " << rank + getSlice() << " axes";
  if (getMoments()) // (C4)
    for (auto axes : getMoments()->getAsRange<DenseI64ArrayAttr>()) {
      int64_t last = -1;
      for (int64_t axis : axes.asArrayRef())
        if (axis <= std::exchange(last, axis) || axis >= rank)
          return emitOpError("has 'moments' with axis ")
                 << axis << ", expected ascending axes of the " << rank << " of the parameter";
    }
  if (int64_t rows = getRows().value_or(1); rows < 1 || (getRows() && rows >= rank)) // (C5)
    return emitOpError("has 'rows' ") << rows << " but " << rank << " axes";
  return verifyShard(*this, getShardAttr(), getSymName());
}

RankedTensorType ParamOp::getShardType() {
  auto type = cast<RankedTensorType>(getType());
  return getSlice() ? RankedTensorType::Builder(type).insertDim(1, getShardAttr().getAxis()) : type;
}

SmallVector<int64_t> ParamOp::getWholeShape() {
  SmallVector<int64_t> shape(getShardType().getShape());
  if (ShardAttr shard = getShardAttr())
    shape[shard.getAxis()] *= shard.getCount();
  return shape;
}

SmallVector<int64_t> ParamOp::axesOfSlice(ArrayRef<int64_t> axes, int64_t axis) {
  SmallVector<int64_t> left;
  for (int64_t each : axes)
    if (each != axis)
      left.push_back(each - (each > axis));
  return left;
}

LogicalResult StateOp::verify() {
  auto module = dyn_cast<ModuleOp>((*this)->getParentOp());
  if (module)
    for (auto model : module.getOps<ModelOp>())
      if (hasName(model.getResultNames(), plc::lossName)) // (C1)
        return emitOpError("is state '") << getSymName() << "' of model '" << model.getSymName()
                                         << "', which has an output 'loss'";
  return verifyShard(*this, getShardAttr(), getSymName());
}

LogicalResult ModelOp::verify() {
  if (failed(verifySignature(*this)) || failed(verifyOneBlock(*this)))
    return failure();
  // (C2)
  auto check = [&](StringRef what, ArrayAttr names, ArrayRef<int64_t> batch, ArrayRef<Type> types,
                   bool maySum) -> LogicalResult {
    if (names.size() != types.size() || batch.size() != types.size())
      return emitOpError("has ") << types.size() << " " << what << "s but " << names.size() << " names and "
                                 << batch.size() << " batch axes";
    llvm::SmallDenseSet<Attribute> seen;
    for (auto [index, name] : llvm::enumerate(names)) {
      if (!seen.insert(name).second)
        return emitOpError(what) << " '" << textOf(name) << "' is named twice";
      if (!isBatchNumber(batch[index], types[index], maySum))
        return emitOpError(what) << " '" << textOf(name) << "' has no axis " << batch[index] << " in " << types[index];
    }
    return verifyPlainNames(*this, what, names);
  };
  if (failed(check("argument", getArgNames(), getArgBatch(), getFunctionType().getInputs(), /*maySum=*/false)) ||
      failed(check("result", getResultNames(), getResultBatch(), getFunctionType().getResults(), /*maySum=*/true)))
    return failure();
  return success(succeeded(verifyCut(*this)) && succeeded(verifyStates(*this)));
}

void CallOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getAccumulates().empty())
    effects.emplace_back(MemoryEffects::Write::get(), SideEffects::DefaultResource::get());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1)
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("calls '") << getCallee() << "', which is no 'ein.func'";
  FunctionType type = callee.getFunctionType();
  ArrayRef<Type> data = type.getInputs().take_front(callee.getNumData());
  ArrayRef<Type> results = type.getResults().take_front(callee.getNumDataResults());
  auto mismatch = [&](StringRef what, auto found, auto expected) {
    InFlightDiagnostic error = emitOpError("has ")
                               << what << " " << found << " but '" << getCallee() << "' has " << expected;
    error.attachNote(callee.getLoc()) << "declared here";
    return error;
  };
  if (!llvm::equal(getArgs().getTypes(), data))
    return mismatch("arguments", getArgs().getTypes(), data);
  if (!llvm::equal(getResultTypes(), results))
    return mismatch("results", getResultTypes(), results);
  // (C2)
  auto checkParams = [&](StringRef what, ArrayAttr names, ArrayRef<Type> types) -> LogicalResult {
    if (names.size() != types.size())
      return mismatch(what, names.size(), types.size());
    for (auto [index, name] : llvm::enumerate(names.getAsRange<FlatSymbolRefAttr>())) {
      auto param = symbols.lookupNearestSymbolFrom<ParamOp>(*this, name);
      if (!param)
        return emitOpError("names '") << name.getValue() << "', which is no 'ein.param'";
      if (param.getType() != types[index])
        return mismatch(what, param.getType(), types[index]);
    }
    return success();
  };
  ArrayRef<Type> rest = type.getInputs().drop_front(callee.getNumData());
  if (failed(checkParams("parameters", getParams(), rest.take_front(callee.getNumParams()))) ||
      failed(checkParams("accumulators", getAccumulates(), rest.drop_front(callee.getNumParams()))))
    return failure();
  return success();
}
