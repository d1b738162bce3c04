//===- EinSyntax.cpp - syntax of equations --------------------------------===//
#include "plc/Dialect/Ein/PositionalText.h"
#include "plc/Dialect/Ein/Subscripts.h"

using namespace mlir;
using namespace plc::ein;

// The number of `PositionalText`s in this thread. MLIR's printing flags have no place for a dialect's own.
static thread_local int positional = 0;
PositionalText::PositionalText() { ++positional; }
PositionalText::~PositionalText() { --positional; }
bool PositionalText::isOn() { return positional > 0; }

namespace {

using Unresolved = OpAsmParser::UnresolvedOperand;

/// Parses an equation in textual order: subscripts and operands, or operands, extents and maps; the operation's own
/// clauses; accumulator, attributes and types.
class EquationReader {
public:
  EquationReader(OpAsmParser &parser, OperationState &state, Subscripts::Table table = Subscripts::Table::None)
      : parser(parser), state(state), table(table) {}

  // `parenthesized`: whether operands are in parentheses, if no subscripts come before them.
  ParseResult parseRule(bool parenthesized = false) {
    textLocation = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalString(&text)))
      return parseSubscripts();
    inputsLocation = parser.getCurrentLocation();
    OpAsmParser::Delimiter delimiter = parenthesized ? OpAsmParser::Delimiter::Paren : OpAsmParser::Delimiter::None;
    NoneType none = parser.getBuilder().getNoneType();
    return failure(parser.parseOperandList(inputs, delimiter) || parser.parseKeyword("over") ||
                   parser.parseCustomAttributeWithFallback(extents, Type{}) || parser.parseKeyword("maps") ||
                   parser.parseCustomAttributeWithFallback(maps, none));
  }

  // The verifier can count only variadic operands, so others are counted here.
  ParseResult requireInputs(unsigned least, unsigned most) {
    if (inputs.size() >= least && inputs.size() <= most)
      return success();
    return parser.emitError(inputsLocation)
           << "found " << inputs.size() << " operands, expected " << (least == most ? "" : "at least ") << least;
  }

  template <typename Attr>
  ParseResult parseOrder(Attr &order) {
    if (succeeded(parser.parseOptionalKeyword("order")))
      return parser.parseCustomAttributeWithFallback(order, Type{});
    return success();
  }

  /// The words behind an order, which choose its blocks.
  ParseResult parseBlocks(IntegerAttr &anew, UnitAttr &chain, UnitAttr &pairs) {
    if (succeeded(parser.parseOptionalKeyword("anew"))) {
      int64_t count = 0;
      if (parser.parseInteger(count))
        return failure();
      anew = parser.getBuilder().getI64IntegerAttr(count);
    }
    if (succeeded(parser.parseOptionalKeyword("chain")))
      chain = parser.getBuilder().getUnitAttr();
    if (succeeded(parser.parseOptionalKeyword("pairs")))
      pairs = parser.getBuilder().getUnitAttr();
    return success();
  }

  ParseResult parseSum(TypeAttr &sum) {
    if (succeeded(parser.parseOptionalKeyword("sum")))
      return parser.parseCustomAttributeWithFallback(sum, parser.getBuilder().getNoneType());
    return success();
  }

  ParseResult parseAccumulator() {
    if (failed(parser.parseOptionalKeyword("into")))
      return success();
    accumulatorLocation = parser.getCurrentLocation();
    return failure(parser.parseOperand(accumulator.emplace_back()) ||
                   parser.parseColonType(accumulatorTypes.emplace_back()));
  }

  // Values that must be computed before.
  ParseResult parseAfter() {
    if (failed(parser.parseOptionalKeyword("after")))
      return success();
    afterLocation = parser.getCurrentLocation();
    return failure(parser.parseOperandList(after) || parser.parseColonTypeList(afterTypes));
  }

  // Parses attributes and types, then resolves operands. Extents come from the types if there were subscripts.
  template <typename Op>
  ParseResult finish() {
    SMLoc location = parser.getCurrentLocation();
    auto error = [&] { return parser.emitError(location) << "'" << state.name.getStringRef() << "' op "; };
    if (parser.parseOptionalAttrDict(state.attributes) ||
        failed(Op::verifyInherentAttrs(state.name, state.attributes, error)))
      return failure();
    SMLoc typesLocation = parser.getCurrentLocation();
    FunctionType type;
    if (parser.parseColonType(type) || parser.addTypesToList(type.getResults(), state.types) ||
        parser.resolveOperands(inputs, type.getInputs(), inputsLocation, state.operands) ||
        parser.resolveOperands(after, afterTypes, afterLocation, state.operands) ||
        parser.resolveOperands(accumulator, accumulatorTypes, accumulatorLocation, state.operands) ||
        (subscripts && setExtents(type, typesLocation)))
      return failure();
    auto &properties = state.getOrAddProperties<typename Op::Properties>();
    properties.extents = extents;
    properties.maps = maps;
    return success();
  }

  unsigned numInputs() const { return inputs.size(); }
  unsigned numAfter() const { return after.size(); }
  unsigned numAccumulators() const { return accumulator.size(); }

private:
  // An error at an offset in the subscripts, behind their quotation mark.
  InFlightDiagnostic errorAt(size_t offset) {
    return parser.emitError(SMLoc::getFromPointer(textLocation.getPointer() + 1 + offset));
  }

  ParseResult parseSubscripts() {
    inputsLocation = parser.getCurrentLocation();
    if (parser.parseOperandList(inputs))
      return failure();
    FailureOr<Subscripts> read =
        Subscripts::parse(text, inputs.size(), table, [&](size_t offset) { return errorAt(offset); });
    if (failed(read))
      return failure();
    subscripts = std::move(*read);
    maps = subscripts->maps(parser.getContext());
    return success();
  }

  ParseResult setExtents(FunctionType type, SMLoc location) {
    SmallVector<RankedTensorType> types;
    for (Type each : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
      auto tensor = dyn_cast<RankedTensorType>(each);
      if (!tensor)
        return parser.emitError(location) << "found " << each << ", expected a tensor with the extents of its indices";
      types.push_back(tensor);
    }
    if (type.getNumResults() != 1)
      return parser.emitError(location) << "found " << type.getNumResults() << " results, expected one";
    FailureOr<SmallVector<int64_t>> found = subscripts->extents(types, [&](size_t offset) { return errorAt(offset); });
    if (failed(found))
      return failure();
    extents = parser.getBuilder().getDenseI64ArrayAttr(*found);
    return success();
  }

  OpAsmParser &parser;
  OperationState &state;
  Subscripts::Table table;
  std::string text;
  SMLoc textLocation, inputsLocation, accumulatorLocation, afterLocation;
  std::optional<Subscripts> subscripts;
  SmallVector<Unresolved> inputs, after;
  SmallVector<Type> afterTypes;
  SmallVector<Unresolved, 1> accumulator;
  SmallVector<Type, 1> accumulatorTypes;
  DenseI64ArrayAttr extents;
  ArrayAttr maps;
};

// Prints subscripts and operands, or operands, extents and maps where subscripts cannot express them.
void printRule(OpAsmPrinter &printer, Equation op, bool parenthesized = false) {
  std::optional<std::string> subscripts = PositionalText::isOn() ? std::nullopt : subscriptsOf(op);
  if (subscripts) {
    printer << " \"" << *subscripts << "\" " << op.getInputs();
    return;
  }
  printer << (parenthesized ? "(" : " ") << op.getInputs() << (parenthesized ? ")" : "") << " over ";
  printer.printStrippedAttrOrType(DenseI64ArrayAttr::get(op.getContext(), op.getExtents()));
  printer << " maps ";
  printer.printAttributeWithoutType(op.getMaps());
}

// Prints a word. The text that keys hash has two spaces before it, and must not change.
template <typename Attr>
void printSpacedWord(OpAsmPrinter &printer, Attr word) {
  if (PositionalText::isOn())
    printer << ' ';
  printer.printStrippedAttrOrType(word);
}

void printSum(OpAsmPrinter &printer, TypeAttr sum) {
  if (!sum)
    return;
  printer << " sum ";
  printer.printAttributeWithoutType(sum);
}

// Prints accumulator, attributes without a syntax of their own, and types.
void printRest(OpAsmPrinter &printer, Equation op, ArrayRef<StringRef> shown = {}) {
  if (Value accumulator = op.getAccumulator())
    printer << " into " << accumulator << " : " << accumulator.getType();
  SmallVector<StringRef> elided{"operandSegmentSizes", "extents", "maps"};
  llvm::append_range(elided, shown);
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  printer.printFunctionalType(op.getInputs().getTypes(), op->getResultTypes());
}

} // namespace

ParseResult ContractOp::parse(OpAsmParser &parser, OperationState &state) {
  EquationReader reader(parser, state);
  auto &properties = state.getOrAddProperties<Properties>();
  if (reader.parseRule() || reader.parseOrder(properties.order) ||
      (properties.order && reader.parseBlocks(properties.anew, properties.chain, properties.pairs)) ||
      reader.parseSum(properties.sum) || reader.parseAccumulator() || reader.finish<ContractOp>())
    return failure();
  properties.operandSegmentSizes = {int32_t(reader.numInputs()), int32_t(reader.numAccumulators())};
  return success();
}

void ContractOp::print(OpAsmPrinter &printer) {
  printRule(printer, *this);
  if (DenseI64ArrayAttr order = getOrderAttr()) {
    printer << " order ";
    printer.printStrippedAttrOrType(order);
    if (std::optional<uint64_t> anew = getAnew())
      printer << " anew " << *anew;
    if (getChain())
      printer << " chain";
    if (getPairs())
      printer << " pairs";
  }
  printSum(printer, getSumAttr());
  printRest(printer, *this, {"order", "anew", "chain", "pairs", "sum"});
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  EquationReader reader(parser, state);
  auto &properties = state.getOrAddProperties<Properties>();
  return failure(parser.parseCustomAttributeWithFallback(properties.function, Type{}) ||
                 reader.parseRule(/*parenthesized=*/true) || reader.finish<MapOp>());
}

void MapOp::print(OpAsmPrinter &printer) {
  printSpacedWord(printer, getFunctionAttr());
  printRule(printer, *this, /*parenthesized=*/true);
  printRest(printer, *this, {"function"});
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  EquationReader reader(parser, state);
  auto &properties = state.getOrAddProperties<Properties>();
  return failure(parser.parseCustomAttributeWithFallback(properties.reduction, Type{}) ||
                 reader.parseRule(/*parenthesized=*/true) || reader.requireInputs(1, 1) ||
                 reader.parseOrder(properties.order) || reader.parseSum(properties.sum) || reader.parseAccumulator() ||
                 reader.finish<ReduceOp>());
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printSpacedWord(printer, getReductionAttr());
  printRule(printer, *this, /*parenthesized=*/true);
  if (OrderAttr order = getOrderAttr()) {
    printer << " order";
    printSpacedWord(printer, order);
  }
  printSum(printer, getSumAttr());
  printRest(printer, *this, {"reduction", "order", "sum"});
}

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &state) {
  EquationReader reader(parser, state, Subscripts::Table::FirstOperand);
  return failure(reader.parseRule() || reader.requireInputs(1, UINT_MAX) || reader.finish<GatherOp>());
}

void GatherOp::print(OpAsmPrinter &printer) {
  printRule(printer, *this);
  printRest(printer, *this);
}

ParseResult ScatterAddOp::parse(OpAsmParser &parser, OperationState &state) {
  EquationReader reader(parser, state, Subscripts::Table::Result);
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"max", "min", "prod"})))
    state.getOrAddProperties<Properties>().reduction =
        ReductionAttr::get(parser.getContext(), *symbolizeReduction(word));
  if (reader.parseRule() || reader.requireInputs(1, UINT_MAX) || reader.parseAccumulator() ||
      reader.finish<ScatterAddOp>())
    return failure();
  // Positions are integers; an operand behind them that is not is the factor.
  Value last = state.operands[reader.numInputs() - 1];
  auto type = dyn_cast<RankedTensorType>(last.getType());
  int32_t factors = reader.numInputs() > 1 && type && !type.getElementType().isInteger();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {1, int32_t(reader.numInputs()) - 1 - factors, factors,
                                                                int32_t(reader.numAccumulators())};
  return success();
}

void ScatterAddOp::print(OpAsmPrinter &printer) {
  if (getReduction())
    printer << ' ' << stringifyReduction(*getReduction());
  printRule(printer, *this);
  printRest(printer, *this, {"reduction"});
}

ParseResult PutOp::parse(OpAsmParser &parser, OperationState &state) {
  EquationReader reader(parser, state, Subscripts::Table::Result);
  SMLoc location = parser.getCurrentLocation();
  if (reader.parseRule() || reader.requireInputs(1, UINT_MAX) || reader.parseAfter() || reader.parseAccumulator())
    return failure();
  if (!reader.numAccumulators())
    return parser.emitError(location) << "replaces elements of no state, expected 'into'";
  if (reader.finish<PutOp>())
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {1, int32_t(reader.numInputs()) - 1,
                                                                int32_t(reader.numAfter()), 1};
  return success();
}

void PutOp::print(OpAsmPrinter &printer) {
  printRule(printer, *this);
  if (!getAfter().empty())
    printer << " after " << getAfter() << " : " << getAfter().getTypes();
  printRest(printer, *this);
}
