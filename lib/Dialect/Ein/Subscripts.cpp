//===- Subscripts.cpp - maps of an equation as letters --------------------===//
#include "plc/Dialect/Ein/Subscripts.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace plc::ein;

// The alphabet in the order of dimensions.
static constexpr llvm::StringLiteral letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Names of positions start at 'i', as in notation by hand, or behind the last dimension.
static size_t firstSymbol(unsigned dims) { return std::max<size_t>(letters.find('i'), dims); }

static Subscripts::Table tableOf(Operation *op) {
  if (isa<GatherOp>(op))
    return Subscripts::Table::FirstOperand;
  return isa<ScatterAddOp, PutOp>(op) ? Subscripts::Table::Result : Subscripts::Table::None;
}

// Whether the types determine the extents of all dimensions, equal to the domain's.
static bool typesSayExtents(Equation equation) {
  SmallVector<int64_t> found(equation.getNumDims(), 0);
  for (unsigned index = 0, inputs = equation.getInputs().size(); index <= inputs; ++index) {
    Value value = index < inputs ? equation.getInputs()[index] : equation->getResult(0);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    AffineMap map = equation.getInputMap(index);
    if (!type || map.getNumResults() != type.getRank() || map.getNumDims() != found.size())
      return false;
    for (auto [axis, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        if (type.getDimSize(axis) != equation.getExtents()[dim.getPosition()])
          return false;
        found[dim.getPosition()] = type.getDimSize(axis);
      }
  }
  return ArrayRef<int64_t>(found) == equation.getExtents();
}

std::optional<std::string> plc::ein::subscriptsOf(Equation equation) {
  unsigned inputs = equation.getInputs().size(), dims = equation.getNumDims();
  Subscripts::Table table = tableOf(equation);
  auto scatter = dyn_cast<ScatterAddOp>(equation.getOperation());
  unsigned factors = 1 + (scatter && scatter.getFactor());
  unsigned symbols = table == Subscripts::Table::None || inputs < factors ? 0 : inputs - factors;
  if (equation.getMaps().size() != inputs + 1 || firstSymbol(dims) + symbols > letters.size() ||
      !typesSayExtents(equation))
    return std::nullopt;
  std::string text;
  for (unsigned index = 0; index <= inputs; ++index) {
    text += index == inputs ? "->" : index > 0 ? "," : "";
    bool isTable = table == Subscripts::Table::FirstOperand ? index == 0 : symbols && index == inputs;
    if (equation.getInputMap(index).getNumSymbols() != (isTable ? symbols : 0))
      return std::nullopt;
    if (index > 0 && index <= symbols)
      (text += letters[firstSymbol(dims) + index - 1]) += '=';
    for (AffineExpr expr : equation.getInputMap(index).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        text += letters[dim.getPosition()];
      else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
        text += letters[firstSymbol(dims) + symbol.getPosition()];
      else
        return std::nullopt;
    }
  }
  return text;
}

FailureOr<SmallVector<Subscripts::Term>> Subscripts::split(StringRef text, Error error) {
  SmallVector<Term> terms(1);
  bool inResult = false;
  for (size_t i = 0; i < text.size(); ++i) {
    Term &term = terms.back();
    bool isArrow = text.substr(i).starts_with("->");
    if (inResult && (isArrow || text[i] == ',')) {
      error(i) << "found '" << (isArrow ? "->" : ",") << "' behind the result, expected the end of the subscripts";
      return failure();
    }
    if (isArrow || text[i] == ',') {
      i += isArrow;
      inResult = isArrow;
      terms.push_back({"", i + 1, 0});
    } else if (text[i] == '=' && !inResult && term.letters.size() == 1 && !term.name) {
      term = {"", i + 1, term.letters[0]};
    } else if (llvm::isAlpha(text[i])) {
      term.letters += text[i];
    } else {
      error(i) << "found '" << text.substr(i, 1)
               << "' in subscripts, expected letters, ',' between operands, '->' before the result, or one letter and "
               << "'=' before an operand that holds positions";
      return failure();
    }
  }
  if (!inResult) {
    error(text.size()) << "subscripts end without a result, expected '->' and its indices";
    return failure();
  }
  return terms;
}

bool Subscripts::isTable(unsigned term) const {
  return (table == Table::FirstOperand && term == 0) || (table == Table::Result && term + 1 == terms.size());
}

// All operands but the first of a gather or scatter hold positions, which index its table only. A scatter may have a
// factor without a name behind them.
LogicalResult Subscripts::nameSymbols(Error error) {
  for (auto [index, term] : llvm::enumerate(ArrayRef(terms).drop_back())) {
    bool isFactor = table == Table::Result && index > 1 && index + 2 == terms.size() && !term.name;
    bool holdsPositions = table != Table::None && index > 0 && !isFactor;
    if (term.name && !holdsPositions)
      return error(term.offset) << "found name '" << StringRef(&term.name, 1) << "' for operand #" << index
                                << ", which holds no positions";
    if (!term.name && holdsPositions)
      return error(term.offset) << "operand #" << index << " holds positions but has no name: write 'i=" << term.letters
                                << "', and 'i' where it indexes the table";
    if (term.name && StringRef(symbols).contains(term.name))
      return error(term.offset) << "name '" << StringRef(&term.name, 1) << "' is given to two operands";
    if (term.name)
      symbols += term.name;
  }
  for (auto [index, term] : llvm::enumerate(terms))
    if (size_t at = StringRef(term.letters).find_first_of(symbols); at != StringRef::npos && !isTable(index))
      return error(term.offset + at) << "index '" << StringRef(term.letters).substr(at, 1)
                                     << "' names positions, which index the table alone";
  return success();
}

// Dimensions are numbered by the alphabet, so that text and maps determine each other.
FailureOr<Subscripts> Subscripts::parse(StringRef text, unsigned operands, Table table, Error error) {
  Subscripts subscripts;
  subscripts.table = table;
  FailureOr<SmallVector<Term>> terms = split(text, error);
  if (failed(terms))
    return failure();
  subscripts.terms = std::move(*terms);
  if (subscripts.terms.size() != operands + 1) {
    error(0) << "subscripts are of " << subscripts.terms.size() - 1 << " operands but there are " << operands;
    return failure();
  }
  if (failed(subscripts.nameSymbols(error)))
    return failure();
  for (char letter : letters)
    if (!StringRef(subscripts.symbols).contains(letter) &&
        llvm::any_of(subscripts.terms, [&](const Term &term) { return StringRef(term.letters).contains(letter); }))
      subscripts.dims += letter;
  return subscripts;
}

FailureOr<SmallVector<int64_t>> Subscripts::extents(ArrayRef<RankedTensorType> types, Error error) const {
  SmallVector<int64_t> extents(dims.size());
  SmallVector<unsigned> from(dims.size());
  auto name = [&](unsigned term) {
    return term + 1 == terms.size() ? std::string("the result") : "operand #" + std::to_string(term);
  };
  llvm::SmallVector<bool> known(dims.size(), false);
  for (auto [index, term] : llvm::enumerate(terms)) {
    if (int64_t(term.letters.size()) != types[index].getRank()) {
      error(term.offset) << "found " << term.letters.size() << " indices of " << name(index) << " but it has rank "
                         << types[index].getRank();
      return failure();
    }
    for (auto [axis, letter] : llvm::enumerate(term.letters)) {
      size_t dim = dims.find(letter);
      if (dim == std::string::npos)
        continue;
      int64_t extent = types[index].getDimSize(axis);
      if (known[dim] && extents[dim] != extent) {
        error(term.offset + axis) << "index '" << StringRef(&letter, 1) << "' has extent " << extent << " in "
                                  << name(index) << " but " << extents[dim] << " in " << name(from[dim]);
        return failure();
      }
      if (!known[dim])
        from[dim] = index;
      known[dim] = true;
      extents[dim] = extent;
    }
  }
  return extents;
}

ArrayAttr Subscripts::maps(MLIRContext *context) const {
  SmallVector<Attribute> maps;
  for (auto [index, term] : llvm::enumerate(terms)) {
    SmallVector<AffineExpr> exprs;
    for (char letter : term.letters) {
      size_t dim = dims.find(letter);
      exprs.push_back(dim != std::string::npos ? getAffineDimExpr(dim, context)
                                               : getAffineSymbolExpr(symbols.find(letter), context));
    }
    maps.push_back(
        AffineMapAttr::get(AffineMap::get(dims.size(), isTable(index) ? symbols.size() : 0, exprs, context)));
  }
  return ArrayAttr::get(context, maps);
}
