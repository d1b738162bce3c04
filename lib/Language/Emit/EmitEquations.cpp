//===- EmitEquations.cpp - one body's equations as ein ops ----------------===//
#include "EmitEquations.h"
#include "Integers.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/Views.h"
#include "llvm/Support/SourceMgr.h"

using namespace plc::language;
using mlir::AffineMap;
using mlir::ValueRange;

//===-- Types and locations -------------------------------------------------===//

/// `!ein.real` where the strategy chooses the precision.
static mlir::Type typeOfElement(Element element, mlir::MLIRContext *context) {
  if (std::optional<plc::ElementType> chosen = chosenType(element))
    return plc::irTypeOf(*chosen, context);
  return plc::ein::RealType::get(context);
}

mlir::RankedTensorType BodyEmitter::typeOf(const Value &value, mlir::MLIRContext *context) {
  llvm::SmallVector<int64_t> shape;
  for (const Axis &axis : value.axes)
    shape.push_back(axis.extent);
  return mlir::RankedTensorType::get(shape, typeOfElement(value.element, context));
}

mlir::Location BodyEmitter::locationOf(SMLoc location, const Frame *frame, const llvm::SourceMgr &sources,
                                       mlir::MLIRContext *context) {
  unsigned id = sources.FindBufferContainingLoc(location);
  auto [line, column] = sources.getLineAndColumn(location, id);
  mlir::Location here =
      mlir::FileLineColLoc::get(context, sources.getMemoryBuffer(id)->getBufferIdentifier(), line, column);
  return frame ? mlir::Location(mlir::CallSiteLoc::get(here, locationOf(frame->call, frame->outer, sources, context)))
               : here;
}

mlir::Type BodyEmitter::elementType(Element element) const { return typeOfElement(element, builder.getContext()); }

llvm::SmallVector<int64_t> BodyEmitter::extents(llvm::ArrayRef<IndexId> domain) const {
  llvm::SmallVector<int64_t> result;
  for (IndexId id : domain)
    result.push_back(extent(id));
  return result;
}

mlir::RankedTensorType BodyEmitter::tensor(llvm::ArrayRef<IndexId> dims, mlir::Type element) const {
  return mlir::RankedTensorType::get(extents(dims), element);
}

AffineMap BodyEmitter::mapOf(llvm::ArrayRef<IndexId> domain, llvm::ArrayRef<IndexId> dims) const {
  llvm::SmallVector<mlir::AffineExpr> results;
  for (IndexId id : dims)
    results.push_back(mlir::getAffineDimExpr(llvm::find(domain, id) - domain.begin(), builder.getContext()));
  return AffineMap::get(domain.size(), 0, results, builder.getContext());
}

mlir::ArrayAttr BodyEmitter::mapsOf(llvm::ArrayRef<IndexId> domain, llvm::ArrayRef<Operand> operands,
                                    llvm::ArrayRef<IndexId> result) {
  llvm::SmallVector<AffineMap> maps;
  for (const Operand &operand : operands)
    maps.push_back(mapOf(domain, operand.dims));
  maps.push_back(mapOf(domain, result));
  return builder.getAffineMapArrayAttr(maps);
}

//===-- Leaves --------------------------------------------------------------===//

BodyEmitter::Operand BodyEmitter::emitNumber(double value, SMLoc location, Element element) {
  auto type = mlir::RankedTensorType::get({}, elementType(element));
  return {plc::ein::ConstantOp::create(builder, at(location), type, llvm::APFloat(value)), {}};
}

/// The index as a number: an iota of i32, or of i64 where the extent needs it, then cast.
BodyEmitter::Operand BodyEmitter::emitIota(const Node &node, Element element) {
  if (!node.function.empty())
    return {emitIteration(node, element), {}};
  Element integer = isInteger(element) ? element : extent(node.index) > INT32_MAX ? Element::I64 : Element::I32;
  mlir::Value iota = plc::ein::IotaOp::create(builder, at(node.location), tensor({node.index}, elementType(integer)));
  if (integer != element)
    iota = plc::ein::CastOp::create(builder, at(node.location), tensor({node.index}, elementType(element)), iota);
  return {iota, {node.index}};
}

/// Applies constant positions first, then windows, then splits. After that each axis has one index or one integer
/// tensor, which is what an equation's map can express.
BodyEmitter::Operand BodyEmitter::emitRead(const Node &node) {
  if (std::optional<Operand> part = emitMovingRead(node))
    return *part;
  llvm::SmallVector<Node::Position> positions;
  for (const Node::Position &position : node.positions)
    if (!position.constant)
      positions.push_back(position);
  return emitAxes(emitWindow(selectConstants(whatIsRead(node), node), positions, node), positions, node);
}

/// The tensor that a node reads. A storage type may not have the number that pads it, so such a tensor is widened
/// first.
mlir::Value BodyEmitter::whatIsRead(const Node &node) {
  mlir::Value value = values[node.value];
  return node.padding.value_or(0) == 0 ? value : emitCast({value, {}}, node.element, node.location).value;
}

/// Gives each axis of a value one index: axes that several indices count are split, and computed positions are
/// gathered.
BodyEmitter::Operand BodyEmitter::emitAxes(mlir::Value value, llvm::ArrayRef<Node::Position> positions,
                                           const Node &node) {
  bool gathers = false;
  llvm::SmallVector<Node::Position, 4> axes;
  for (const Node::Position &position : positions) {
    if (position.indices.size() > 1 && isRun(position))
      value = plc::ein::split(builder, at(node.location), value, axes.size(), extents(position.indices));
    for (IndexId id : position.indices)
      axes.push_back({{id}});
    if (position.gathered)
      axes.push_back(position);
    gathers |= position.gathered != nullptr;
  }
  if (gathers)
    return emitGather(value, axes, node);
  Operand result{value, {}};
  for (const Node::Position &position : axes)
    result.dims.push_back(position.indices[0]);
  return result;
}

/// Reads all constant positions, `x[.., 2, ..]`, by one gather. An operation of its own would need an adjoint of its
/// own.
mlir::Value BodyEmitter::selectConstants(mlir::Value table, const Node &node) {
  llvm::SmallVector<mlir::Value> positions;
  llvm::SmallVector<int64_t> domain;
  llvm::SmallVector<mlir::AffineExpr> exprs;
  auto type = llvm::cast<mlir::RankedTensorType>(table.getType());
  mlir::MLIRContext *context = builder.getContext();
  for (auto [axis, position] : llvm::enumerate(node.positions)) {
    if (!position.constant) {
      exprs.push_back(mlir::getAffineDimExpr(domain.size(), context));
      domain.push_back(type.getDimSize(axis));
      continue;
    }
    exprs.push_back(mlir::getAffineSymbolExpr(positions.size(), context));
    Element element = *position.constant > INT32_MAX ? Element::I64 : Element::I32;
    std::optional<mlir::Value> moving = emitMovingConstant(position, element, node.location);
    positions.push_back(moving ? *moving
                               : emitNumber(static_cast<double>(*position.constant), node.location, element).value);
  }
  if (positions.empty())
    return table;
  llvm::SmallVector<AffineMap> maps{AffineMap::get(domain.size(), positions.size(), exprs, context)};
  maps.append(positions.size(), AffineMap::get(domain.size(), 0, context));
  maps.push_back(AffineMap::getMultiDimIdentityMap(domain.size(), context));
  return plc::ein::GatherOp::create(builder, at(node.location), type.clone(domain), table, positions, domain,
                                    builder.getAffineMapArrayAttr(maps));
}

/// Reads a table at positions that integer tensors hold.
BodyEmitter::Operand BodyEmitter::emitGather(mlir::Value from, llvm::ArrayRef<Node::Position> positions,
                                             const Node &node) {
  llvm::ArrayRef<IndexId> domain = node.dims;
  llvm::SmallVector<mlir::Value> inputs; // that hold positions
  llvm::SmallVector<mlir::AffineExpr> table;
  llvm::SmallVector<AffineMap> maps;
  unsigned symbols = 0;
  for (const Node::Position &position : positions) {
    if (!position.gathered) {
      table.push_back(mapOf(domain, position.indices).getResult(0));
      continue;
    }
    Operand index = emitNode(*position.gathered, integerTypeOf(*position.gathered, *step->indices));
    inputs.push_back(index.value);
    maps.push_back(mapOf(domain, index.dims));
    table.push_back(mlir::getAffineSymbolExpr(symbols++, builder.getContext()));
  }
  maps.insert(maps.begin(), AffineMap::get(domain.size(), symbols, table, builder.getContext()));
  maps.push_back(mapOf(domain, domain));
  auto type = tensor(domain, llvm::cast<mlir::RankedTensorType>(from.getType()).getElementType());
  mlir::Value result =
      plc::ein::GatherOp::create(builder, at(node.location), type, from, inputs,
                                 builder.getDenseI64ArrayAttr(extents(domain)), builder.getAffineMapArrayAttr(maps));
  return {result, node.dims};
}

//===-- Maps ----------------------------------------------------------------===//

BodyEmitter::Operand BodyEmitter::emitMap(StringRef function, llvm::ArrayRef<Operand> operands,
                                          llvm::ArrayRef<IndexId> dims, Element element, SMLoc location) {
  llvm::SmallVector<mlir::Value> inputs;
  for (const Operand &operand : operands)
    inputs.push_back(operand.value);
  auto symbol = plc::ein::FunctionAttr::get(builder.getContext(), *plc::ein::symbolizeFunction(function));
  mlir::Value result =
      plc::ein::MapOp::create(builder, at(location), tensor(dims, elementType(element)), symbol, inputs,
                              builder.getDenseI64ArrayAttr(extents(dims)), mapsOf(dims, operands, dims));
  return {result, llvm::SmallVector<IndexId, 4>(dims)};
}

/// A map of two operands over the union of their indices.
BodyEmitter::Operand BodyEmitter::emitBinary(StringRef function, const Operand &left, const Operand &right,
                                             Element element, SMLoc location) {
  llvm::SmallVector<IndexId, 4> dims;
  for (const Operand *operand : {&left, &right})
    for (IndexId id : operand->dims)
      if (!llvm::is_contained(dims, id))
        dims.push_back(id);
  llvm::sort(dims, [&](IndexId a, IndexId b) {
    int left = (*step->indices)[a].left, right = (*step->indices)[b].left;
    return std::make_pair(left < 0, left < 0 ? int(a) : left) < std::make_pair(right < 0, right < 0 ? int(b) : right);
  });
  return emitMap(function, {left, right}, dims, element, location);
}

/// The element type of a comparison: indices and integer numbers are compared as integers, which is exact.
Element BodyEmitter::comparedElement(const Node &node) const {
  Element integer = Element::I32;
  for (const Node *operand : node.operands) {
    if (operand->element != Element::Number)
      return operand->element;
    if (!isIntegral(*operand))
      return Element::Real;
    if (integerTypeOf(*operand, *step->indices) == Element::I64)
      integer = Element::I64;
  }
  return integer;
}

/// A sum of thousands of terms is a tree that leans left. Iterating over its spine avoids a recursion as deep.
BodyEmitter::Operand BodyEmitter::emitMapNode(const Node &node, Element wanted) {
  llvm::SmallVector<const Node *> spine{&node};
  auto leans = [](const Node *n) {
    return n->kind == Node::Map && n->operands.size() == 2 &&
           (n->function == "add" || n->function == "sub" || n->function == "and" || n->function == "or");
  };
  while (leans(spine.back()) && leans(spine.back()->operands[0]))
    spine.push_back(spine.back()->operands[0]);
  Operand accumulated;
  for (size_t i = spine.size(); i-- > 0;) {
    const Node &map = *spine[i];
    bool compares = map.element == Element::Bool && map.operands[0]->element != Element::Bool;
    Element element = compares ? comparedElement(map) : map.element == Element::Number ? wanted : map.element;
    llvm::SmallVector<Operand> operands;
    for (const Node *operand : map.operands)
      operands.push_back(i + 1 < spine.size() && operand == spine[i + 1] && operands.empty()
                             ? accumulated
                             : emitNode(*operand, operand->element == Element::Bool ? Element::Bool : element));
    accumulated = emitMap(map.function, operands, map.dims, compares ? Element::Bool : element, map.location);
  }
  return accumulated;
}

//===-- Sums ----------------------------------------------------------------===//

BodyEmitter::Operand BodyEmitter::emitContract(llvm::ArrayRef<Operand> factors, llvm::ArrayRef<IndexId> summed,
                                               llvm::ArrayRef<IndexId> dims, SMLoc location) {
  llvm::SmallVector<IndexId> domain(dims);
  domain.append(summed.begin(), summed.end());
  llvm::SmallVector<mlir::Value> inputs;
  for (const Operand &factor : factors)
    inputs.push_back(factor.value);
  auto element = llvm::cast<mlir::RankedTensorType>(inputs[0].getType()).getElementType();
  mlir::Value result = plc::ein::ContractOp::create(builder, at(location), tensor(dims, element), inputs, mlir::Value(),
                                                    builder.getDenseI64ArrayAttr(extents(domain)),
                                                    mapsOf(domain, factors, dims), nullptr, nullptr, nullptr);
  return {result, llvm::SmallVector<IndexId, 4>(dims)};
}

BodyEmitter::Operand BodyEmitter::emitReduction(StringRef function, const Operand &operand,
                                                llvm::ArrayRef<IndexId> summed, llvm::ArrayRef<IndexId> dims,
                                                SMLoc location) {
  llvm::SmallVector<IndexId> domain(dims);
  domain.append(summed.begin(), summed.end());
  auto element = llvm::cast<mlir::RankedTensorType>(operand.value.getType()).getElementType();
  auto kind = plc::ein::ReductionAttr::get(builder.getContext(), *plc::ein::symbolizeReduction(function));
  mlir::Value result = plc::ein::ReduceOp::create(builder, at(location), tensor(dims, element), kind, operand.value,
                                                  mlir::Value(), builder.getDenseI64ArrayAttr(extents(domain)),
                                                  mapsOf(domain, operand, dims), nullptr, nullptr);
  return {result, llvm::SmallVector<IndexId, 4>(dims)};
}

static StringRef functionOf(BinaryOp op, Element element) {
  switch (op) {
  case BinaryOp::Add: return "add";
  case BinaryOp::Sub: return "sub";
  case BinaryOp::Mul: return element == Element::Bool ? "and" : "mul";
  case BinaryOp::Div: return "div";
  case BinaryOp::FloorDiv: return "floor_div";
  case BinaryOp::Mod: return "floor_mod";
  default: return bitFunctionOf(op);
  }
  llvm_unreachable("no operator");
}

static bool usesAny(const Node &node, llvm::ArrayRef<IndexId> ids) {
  return llvm::any_of(node.dims, [&](IndexId id) { return llvm::is_contained(ids, id); });
}

/// Whether a contraction multiplies the factor: a tensor, or a factor with a summed index.
static bool isTensorFactor(const Node &term, size_t i, llvm::ArrayRef<IndexId> summed) {
  const Node &factor = *term.operands[i];
  return term.operators[i] == BinaryOp::Mul &&
         ((factor.kind == Node::Read && !factor.dims.empty()) || usesAny(factor, summed));
}

/// A term with summed indices: contracts the tensor factors, then applies the others in text order.
BodyEmitter::Operand BodyEmitter::emitSum(const Node &term, llvm::ArrayRef<IndexId> summed,
                                          llvm::ArrayRef<IndexId> dims, SMLoc location) {
  llvm::SmallVector<Operand> factors;
  llvm::SmallVector<IndexId, 4> kept;
  bool negated = false;
  for (size_t i = 0; i < term.operands.size(); ++i) {
    if (!isTensorFactor(term, i, summed))
      continue;
    factors.push_back(emitNode(*term.operands[i], term.element));
    negated ^= term.negated[i];
    for (IndexId id : term.operands[i]->dims)
      if (llvm::is_contained(dims, id) && !llvm::is_contained(kept, id))
        kept.push_back(id);
  }
  llvm::sort(kept, [&](IndexId a, IndexId b) { return llvm::find(dims, a) < llvm::find(dims, b); });
  Operand result = factors.size() == 1 ? emitReduction("sum", factors[0], summed, kept, location)
                                       : emitContract(factors, summed, kept, location);
  if (negated)
    result = emitMap("neg", result, result.dims, term.element, location);
  for (size_t i = 0; i < term.operands.size(); ++i) {
    if (isTensorFactor(term, i, summed))
      continue;
    const Node &factor = *term.operands[i];
    Operand value = emitNode(factor, term.element);
    if (term.negated[i])
      value = emitMap("neg", value, factor.dims, term.element, factor.location);
    result = emitBinary(functionOf(term.operators[i], term.element), result, value, term.element, factor.location);
  }
  return result;
}

/// A chain of factors. Reals with summed indices are contracted, if no divisor has a summed index.
BodyEmitter::Operand BodyEmitter::emitTerm(const Node &node, Element wanted) {
  // What a summed index divides by is no factor of a contraction.
  bool divides = false;
  for (auto [factor, op] : llvm::zip(node.operands, node.operators))
    divides |= op != BinaryOp::Mul && usesAny(*factor, node.summed);
  if (!node.summed.empty() && isRealElement(node.element) && !divides)
    return emitSum(node, node.summed, node.dims, node.location);
  Element element = node.element == Element::Number ? wanted : node.element;
  // Numbers that are rounded to integers are computed as integers.
  if (isRealElement(element) && roundsNumbers(node) && llvm::any_of(node.operators, isRounding))
    return emitCast(emitTerm(node, integerTypeOf(node, *step->indices)), element, node.location);
  Operand result;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const Node &factor = *node.operands[i];
    Operand value = emitNode(factor, element);
    if (node.negated[i])
      value = emitMap("neg", value, factor.dims, element, factor.location);
    result =
        i == 0 ? value : emitBinary(functionOf(node.operators[i], element), result, value, element, factor.location);
  }
  // Integers are multiplied and then summed, because a contraction is of reals only; so are truth values, in their way.
  StringRef sum = element == Element::Bool ? "any" : "sum";
  return node.summed.empty() ? result : emitReduction(sum, result, node.summed, node.dims, node.location);
}

/// A reduction with named indices. The sum of a product of tensors is a contraction, as by the sum rule.
BodyEmitter::Operand BodyEmitter::emitReduceNode(const Node &node, Element wanted) {
  const Node &term = *node.operands[0];
  StringRef function = node.function == "mean" ? "sum" : node.function;
  unsigned tensors = 0;
  bool product = term.kind == Node::Term && term.summed.empty() && function == "sum" && isRealElement(term.element);
  for (size_t i = 0; product && i < term.operands.size(); ++i) {
    bool reads = term.operands[i]->kind == Node::Read && term.operators[i] == BinaryOp::Mul;
    product = reads || !usesAny(*term.operands[i], node.summed);
    tensors += reads && !term.operands[i]->dims.empty();
  }
  // Each summed index must be one that the contracted factors use.
  product &= tensors >= 2;
  Operand result = product
                       ? emitSum(term, node.summed, node.dims, node.location)
                       : emitReduction(function, emitNode(term, node.element), node.summed, node.dims, node.location);
  if (node.function != "mean")
    return result;
  double count = 1;
  for (IndexId id : node.summed)
    count *= static_cast<double>(extent(id));
  return emitBinary("div", result, emitNumber(count, node.location, node.element), node.element, node.location);
}

//===-- Steps ---------------------------------------------------------------===//

/// Emits a node. A number takes the element type `wanted`.
BodyEmitter::Operand BodyEmitter::emitNode(const Node &node, Element wanted) {
  Element element = node.element == Element::Number ? wanted : node.element;
  switch (node.kind) {
  case Node::Number:
    if (std::optional<mlir::Value> moving = emitMovingNumber(node, element))
      return {*moving, {}};
    return emitNumber(node.number, node.location, element);
  case Node::Iota: return emitIota(node, element);
  case Node::Read: return emitCast(emitRead(node), node.element, node.location);
  case Node::Map:
    // Bits of numbers are those of integers.
    if (isRealElement(element) && isBitFunction(node.function))
      return emitCast(emitMapNode(node, integerTypeOf(node, *step->indices)), element, node.location);
    return emitMapNode(node, wanted);
  case Node::Term: return emitTerm(node, wanted);
  case Node::Reduce: return emitReduceNode(node, wanted);
  case Node::Positions: return emitPositions(node);
  case Node::Draw: return emitDraw(node);
  case Node::Stop: {
    Operand operand = emitNode(*node.operands[0], wanted);
    return {plc::ein::StopOp::create(builder, at(node.location), operand.value.getType(), operand.value), operand.dims};
  }
  case Node::Cast: break;
  }
  const Node &input = *node.operands[0];
  Element from = input.element;
  // A number is computed as an integer only if it is one, and an integer is wanted.
  if (from == Element::Number)
    from = isInteger(element) && isIntegral(input) ? integerTypeOf(input, *step->indices) : Element::Real;
  return emitCast(emitNode(input, from), element, node.location);
}

/// Draws over the indices of the left side. `training` and `step` are scalars.
BodyEmitter::Operand BodyEmitter::emitDraw(const Node &node) {
  auto type = tensor(node.dims, elementType(node.element));
  if (node.function == "training")
    return {plc::ein::TrainingOp::create(builder, at(node.location), type), {}};
  if (node.function == "step")
    return {beforeLoops([&] { return plc::ein::StepOp::create(builder, at(node.location), type); }), {}};
  // A condition that draws is read twice where it guards a position.
  mlir::Value &draw = drawn[&node];
  if (!draw)
    draw = emitDrawOfIterations(node, type);
  return {draw, node.dims};
}

/// The operand in an element type; itself if it has that type.
BodyEmitter::Operand BodyEmitter::emitCast(const Operand &operand, Element element, SMLoc location) {
  auto type = llvm::cast<mlir::RankedTensorType>(operand.value.getType());
  if (type.getElementType() == elementType(element))
    return operand;
  type = mlir::RankedTensorType::get(type.getShape(), elementType(element));
  return {plc::ein::CastOp::create(builder, at(location), type, operand.value), operand.dims};
}

/// Emits one step: a loop, a call of a layer, or an equation. An equation computes its value, orders its axes as the
/// left side, merges and places them, and rounds at last.
void BodyEmitter::emit(const Step &next) {
  step = &next;
  drawn.clear();
  if (step->loop)
    return emitLoop(next);
  if (step->callee) {
    llvm::SmallVector<mlir::Value> arguments;
    llvm::SmallVector<mlir::Type> types;
    llvm::SmallVector<mlir::Attribute> parameters;
    for (ValueId id : step->arguments)
      arguments.push_back(values[id]);
    for (ValueId id : step->results)
      types.push_back(typeOf(body.values[id], builder.getContext()));
    for (const std::string &path : step->parameters)
      parameters.push_back(mlir::FlatSymbolRefAttr::get(builder.getContext(), path));
    auto call = plc::ein::CallOp::create(builder, at(step->location), types, step->callee->symbol, arguments,
                                         builder.getArrayAttr(parameters), builder.getArrayAttr({}), step->path,
                                         step->iteration < 0 ? mlir::IntegerAttr()
                                                             : builder.getI64IntegerAttr(step->iteration));
    for (auto [id, result] : llvm::zip(step->results, call.getResults()))
      values[id] = result;
    return;
  }
  Element element = computedAs(body.values[step->result].element);
  Operand result = emitNode(*step->value, element);
  if (llvm::ArrayRef(result.dims) != llvm::ArrayRef(step->left))
    result = emitMap("id", result, step->left, element, step->location);
  if (!step->targets.empty()) {
    values[step->result] = emitScatter(result.value, typeOf(body.values[step->result], builder.getContext()));
    return;
  }
  for (auto [axis, count] : llvm::enumerate(step->parts))
    if (count > 1)
      result.value = plc::ein::merge(builder, at(step->location), result.value, axis, count);
  if (llvm::any_of(step->offsets, [](std::optional<int64_t> offset) { return offset.has_value(); })) {
    llvm::SmallVector<int64_t> offsets, strides(step->offsets.size(), 1);
    for (std::optional<int64_t> offset : step->offsets)
      offsets.push_back(offset.value_or(0));
    result.value = plc::ein::insertSlice(builder, at(step->location), result.value, offsets, strides,
                                         typeOf(body.values[step->result], builder.getContext()).getShape());
  }
  values[step->result] = emitCast(result, body.values[step->result].element, step->location).value;
}
