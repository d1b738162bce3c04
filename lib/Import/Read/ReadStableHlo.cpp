// Reads StableHLO that JAX printed: its functions, inputs, outputs and locations.
#include "plc/Import/ReadStableHlo.h"

#include "Read/HloGraph.h"
#include "Read/ReadError.h"
#include "plc/Support/IRElementType.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace plc::import {

namespace {

constexpr const char *printAgain = "print it by 'jax.jit(f).lower(x).compiler_ir().operation."
                                   "get_asm(print_generic_op_form=True, enable_debug_info=True)'";
constexpr size_t mostCalls = 64, mostLevels = 256;

/// Parameters are known by their names. StableHLO has their types alone.
class HloWeights : public Weights {
public:
  explicit HloWeights(std::map<std::string, std::vector<std::byte>> constants) : constants(std::move(constants)) {}
  std::vector<std::byte> read(const Input &input) const override {
    if (input.kind == Input::Kind::Constant)
      return constants.at(input.path);
    throw ReadError("parameter '" + input.path + "' has no values in StableHLO");
  }
  std::string storageOf(const Input &input) const override { return input.path; }

private:
  std::map<std::string, std::vector<std::byte>> constants;
};

class HloReader {
public:
  explicit HloReader(StringRef parametersArgument) : parametersArgument(parametersArgument) {}
  ImportedModel read(mlir::ModuleOp module);

private:
  using Names = llvm::DenseMap<mlir::Value, std::string>;
  mlir::Block &bodyOf(mlir::Operation *function);
  void readInputs(mlir::Block &body, Names &names);
  void readOutputs(mlir::Operation *function, const std::vector<std::string> &values);
  std::vector<std::string> readBody(mlir::Block &body, Names &names, size_t calls);
  void readOperation(mlir::Operation &op, Names &names, size_t calls);
  std::vector<std::string> readCall(mlir::Operation &op, const Names &names, size_t calls);
  bool readWhile(mlir::Operation &op, Names &names, size_t calls);
  void leave(mlir::Operation &op, Names &names);

  StringRef parametersArgument;
  llvm::StringMap<mlir::Operation *> functions;
  HloGraph to;
};

} // namespace

/// The path of a leaf of a pytree behind its root: ".h.0.w" of "p['h'][0]['w']".
static std::string pathBehind(StringRef leaf) {
  std::string path;
  while (!leaf.empty()) {
    bool isIndex = leaf.consume_front("[");
    leaf.consume_front(".");
    StringRef step = leaf.take_until([&](char c) { return isIndex ? c == ']' : c == '[' || c == '.'; });
    leaf = leaf.drop_front(step.size());
    leaf.consume_front("]");
    path += "." + step.trim("'\"").str();
  }
  return path;
}

/// The innermost position of a location that is in a file of the user, not in the parsed text ("-").
static SourceLine lineOf(mlir::Location location) {
  SourceLine found;
  location->walk([&](mlir::Location each) {
    auto range = llvm::dyn_cast<mlir::FileLineColRange>(each);
    if (!range || range.getFilename() == StringRef("-") || range.getFilename().getValue().contains("site-packages/"))
      return mlir::WalkResult::advance();
    found = {range.getFilename().str(), "", static_cast<int64_t>(range.getStartLine())};
    return mlir::WalkResult::interrupt();
  });
  return found;
}

/// The scopes in a name as "jit(model)/h.0/attn/dot_general": not the operation, nor what transforms it, nor equations.
static std::vector<ModuleFrame> scopesOf(mlir::Location location) {
  std::vector<ModuleFrame> frames;
  auto name = llvm::dyn_cast<mlir::NameLoc>(location);
  if (!name)
    return frames;
  llvm::SmallVector<StringRef> steps;
  name.getName().getValue().split(steps, '/');
  auto isName = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  auto isOfLoop = [](StringRef step) {
    return llvm::StringSwitch<bool>(step).Cases({"while", "body", "closed_call"}, true).Default(false);
  };
  for (StringRef step : llvm::ArrayRef(steps).drop_back())
    if (!step.empty() && llvm::all_of(step, isName) && !isOfLoop(step)) {
      std::string path = frames.empty() ? step.str() : frames.back().path + "." + step.str();
      frames.push_back({path, step.rtrim("0123456789").rtrim("._").str()});
    }
  return frames;
}

static std::string textOf(mlir::Operation &op) {
  SourceLine line = lineOf(op.getLoc());
  std::string text = "'" + op.getName().getStringRef().str() + "'";
  return line.line ? text + " of " + line.file + ":" + std::to_string(line.line) : text;
}

mlir::Block &HloReader::bodyOf(mlir::Operation *function) {
  if (function->getNumRegions() != 1 || !function->getRegion(0).hasOneBlock() || function->getRegion(0).front().empty())
    throw ReadError(textOf(*function) + " has no body of one block; " + printAgain);
  return function->getRegion(0).front();
}

void HloReader::readInputs(mlir::Block &body, Names &names) {
  for (mlir::BlockArgument argument : body.getArguments()) {
    auto location = llvm::dyn_cast<mlir::NameLoc>(argument.getLoc());
    std::string leaf = location ? location.getName().str() : "arg" + std::to_string(argument.getArgNumber());
    StringRef root = StringRef(leaf).take_until([](char c) { return c == '[' || c == '.'; });
    std::string behind = pathBehind(StringRef(leaf).drop_front(root.size()));
    bool isParameter = parametersArgument.empty() ? !behind.empty() : root == parametersArgument;
    std::string path = behind.empty() ? root.str() : behind.substr(isParameter ? 1 : 0);
    if (!isParameter && !behind.empty())
      path = root.str() + behind;
    std::string value = path;
    std::replace_if(value.begin(), value.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
    value = to.unique(isParameter ? "p_" + value : value);
    to.define(value, argument.getType());
    if (auto other = to.graph.otherTypes.find(value); other != to.graph.otherTypes.end())
      throw ReadError("input '" + leaf + "' has type '" + other->second + "', expected elements of " +
                      listElementTypes(isAny) + "; convert it in the function");
    names[argument] = value;
    to.graph.inputs.push_back({isParameter ? Input::Kind::Parameter : Input::Kind::User, value, path});
  }
}

void HloReader::readOutputs(mlir::Operation *function, const std::vector<std::string> &values) {
  auto attributes = llvm::dyn_cast_or_null<mlir::ArrayAttr>(attributeOf(function, "res_attrs"));
  for (size_t i = 0; i < values.size(); ++i) {
    std::string path;
    if (auto all = attributes && i < attributes.size() ? llvm::dyn_cast<mlir::DictionaryAttr>(attributes[i]) : nullptr)
      if (auto info = all.getAs<mlir::StringAttr>("jax.result_info")) {
        StringRef leaf = info.getValue();
        leaf.consume_front("result");
        path = leaf.contains('\'') ? pathBehind(leaf).substr(1) : ""; // indices alone are no keys
      }
    to.graph.outputs.push_back({Output::Kind::User, values[i], path});
  }
}

/// Adds an operation that has no counterpart as it is, for the caller to list.
void HloReader::leave(mlir::Operation &op, Names &names) {
  auto [dialect, name] = op.getName().getStringRef().split('.');
  Node node{name.str(), "", dialect.str(), {}, {}, to.modules, to.source, {}};
  if (auto target = llvm::dyn_cast_or_null<mlir::StringAttr>(attributeOf(&op, "call_target_name")))
    node.overload = target.str();
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    node.arguments.emplace_back("arg" + std::to_string(i), ValueName{names.lookup(operand)});
  for (mlir::Value result : op.getResults()) {
    node.results.push_back(to.unique(name));
    to.define(names[result] = node.results.back(), result.getType());
  }
  to.graph.nodes.push_back(std::move(node));
}

std::vector<std::string> HloReader::readCall(mlir::Operation &op, const Names &names, size_t calls) {
  auto callee = llvm::dyn_cast_or_null<mlir::FlatSymbolRefAttr>(attributeOf(&op, "callee"));
  mlir::Operation *function = callee ? functions.lookup(callee.getValue()) : nullptr;
  if (!function)
    throw ReadError(textOf(op) + " calls no function of the file; " + printAgain);
  if (calls > mostCalls)
    throw ReadError(textOf(op) + " is within " + std::to_string(calls) + " calls, expected " +
                    std::to_string(mostCalls) + " at most; do not trust the file");
  mlir::Block &body = bodyOf(function);
  if (body.getNumArguments() != op.getNumOperands())
    throw ReadError(textOf(op) + " has " + std::to_string(op.getNumOperands()) + " arguments, but the function has " +
                    std::to_string(body.getNumArguments()) + "; " + printAgain);
  requireFit(body.back().getOperandTypes() == op.getResultTypes());
  Names inner;
  for (auto [argument, operand] : llvm::zip(body.getArguments(), op.getOperands())) {
    requireFit(argument.getType() == operand.getType());
    inner[argument] = names.lookup(operand);
  }
  return readBody(body, inner, calls + 1);
}

/// A loop as its iterations one after another, if numbers alone decide how many there are.
bool HloReader::readWhile(mlir::Operation &op, Names &names, size_t calls) {
  if (op.getNumRegions() != 2 || !op.getRegion(0).hasOneBlock() || !op.getRegion(1).hasOneBlock())
    return false;
  mlir::Block &condition = op.getRegion(0).front(), &body = op.getRegion(1).front();
  requireFit(condition.getArgumentTypes() == op.getOperandTypes() && body.getArgumentTypes() == op.getOperandTypes() &&
             op.getResultTypes() == op.getOperandTypes() && condition.back().getNumOperands() == 1 &&
             body.back().getOperandTypes() == op.getResultTypes());
  std::vector<std::string> values;
  for (mlir::Value operand : op.getOperands())
    values.push_back(names.lookup(operand));
  for (size_t iteration = 0;; ++iteration) {
    if (iteration > mostNodes)
      throw ReadError(textOf(op) + " runs more than " + std::to_string(mostNodes) + " times; do not trust the file");
    for (auto [argument, value] : llvm::zip(condition.getArguments(), values))
      names[argument] = value;
    std::string goesOn = readBody(condition, names, calls)[0];
    std::optional<double> truth = to.graph.types.count(goesOn) ? to.splat(to.value(goesOn)) : std::nullopt;
    if (!truth)
      return false;
    if (*truth == 0)
      break;
    for (auto [argument, value] : llvm::zip(body.getArguments(), values))
      names[argument] = value;
    values = readBody(body, names, calls);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), values))
    names[result] = value;
  return true;
}

void HloReader::readOperation(mlir::Operation &op, Names &names, size_t calls) {
  // An operation in a called function has no scopes; it is in those of the call.
  std::vector<ModuleFrame> scopes = scopesOf(op.getLoc());
  if (SourceLine line = lineOf(op.getLoc()); line.line)
    to.source = line;
  if (!scopes.empty() || calls == 0)
    to.modules = scopes;
  if (op.getName().getStringRef() == StringRef("func.call")) {
    std::vector<std::string> results = readCall(op, names, calls);
    for (auto [result, name] : llvm::zip(op.getResults(), results))
      names[result] = name;
    return;
  }
  if (op.getName().getStringRef() == StringRef("stablehlo.while") && readWhile(op, names, calls))
    return;
  auto isTensor = [&](mlir::Type type) { return type && llvm::isa<mlir::RankedTensorType>(type); };
  bool isKnown =
      llvm::StringSwitch<bool>(op.getName().getDialectNamespace()).Cases({"stablehlo", "chlo"}, true).Default(false);
  std::vector<Hlo> operands;
  for (mlir::Value operand : op.getOperands())
    if (std::string name = names.lookup(operand); to.graph.types.count(name))
      operands.push_back(to.value(name));
  for (mlir::Type type : op.getResultTypes())
    isKnown &=
        isTensor(type) && findElementType(type).has_value() && llvm::cast<mlir::ShapedType>(type).hasStaticShape();
  isKnown &= operands.size() == op.getNumOperands();
  std::optional<std::vector<Hlo>> results = isKnown ? HloOp(&op, operands, to).convert() : std::nullopt;
  if (!results)
    return leave(op, names);
  requireFit(results->size() == op.getNumResults());
  for (auto [result, made] : llvm::zip(op.getResults(), *results))
    names[result] = made.name;
}

/// The names of what the body returns.
std::vector<std::string> HloReader::readBody(mlir::Block &body, Names &names, size_t calls) {
  std::vector<ModuleFrame> modules = to.modules;
  SourceLine source = to.source;
  for (mlir::Operation &op : llvm::make_range(body.begin(), std::prev(body.end()))) {
    to.modules = modules;
    to.source = source;
    try {
      readOperation(op, names, calls);
    } catch (const HloMisfit &) {
      throw ReadError(textOf(op) + " has attributes that do not fit its operands; " + printAgain);
    }
    if (to.graph.nodes.size() > mostNodes)
      throw ReadError("has more than " + std::to_string(mostNodes) +
                      " nodes after its calls are inlined; export a part "
                      "of the model");
  }
  std::vector<std::string> results;
  for (mlir::Value value : body.back().getOperands())
    results.push_back(names.lookup(value));
  return results;
}

/// Removes nodes that no output needs: parts of constants, and of indices that are wrapped around.
static void removeDead(Graph &graph) {
  llvm::StringSet<> used;
  for (const Output &output : graph.outputs)
    used.insert(output.value);
  std::vector<Node> kept;
  for (Node &node : llvm::reverse(graph.nodes)) {
    if (llvm::none_of(node.results, [&](const std::string &result) { return used.contains(result); }))
      continue;
    forEachRead(node, [&](const ValueName &value) { used.insert(value.name); });
    kept.push_back(std::move(node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

ImportedModel HloReader::read(mlir::ModuleOp module) {
  for (mlir::Operation &op : module.getBody()->getOperations())
    if (auto name = llvm::dyn_cast_or_null<mlir::StringAttr>(attributeOf(&op, "sym_name")))
      functions[name.getValue()] = &op;
  mlir::Operation *main = functions.lookup("main");
  if (!main)
    throw ReadError(std::string("has no function 'main'; ") + printAgain);
  Names names;
  mlir::Block &body = bodyOf(main);
  readInputs(body, names);
  readOutputs(main, readBody(body, names, 0));
  foldIdioms(to.graph);
  removeDead(to.graph);
  ImportedModel model;
  model.graph = std::move(to.graph);
  model.weights = std::make_unique<HloWeights>(std::move(to.constants));
  return model;
}

bool isStableHlo(StringRef text) { return text.contains("stablehlo."); }

/// The parser recurses: brackets nest no deeper than in real files.
static void checkNesting(StringRef text) {
  size_t levels = 0;
  for (char c : text)
    if (StringRef("([{<").contains(c)) {
      if (++levels > mostLevels)
        throw ReadError("nests brackets in more than " + std::to_string(mostLevels) + " levels; do not trust the file");
    } else if (StringRef(")]}>").contains(c)) {
      levels -= levels > 0;
    }
}

std::optional<ImportedModel> readStableHlo(StringRef text, StringRef parametersArgument, std::string &error) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  std::string first;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (!first.empty())
      return mlir::success();
    if (auto at = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
      first = "line " + std::to_string(at.getLine()) + ", column " + std::to_string(at.getColumn()) + ": ";
    first += diagnostic.str();
    return mlir::success();
  });
  std::string terminated = text.str(); // the lexer looks at the byte behind the end
  try {
    checkNesting(text);
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(terminated, mlir::ParserConfig(&context, /*verifyAfterParse=*/true));
    if (!module)
      throw ReadError("is not MLIR in its generic form (" + first + "); " + printAgain);
    return HloReader(parametersArgument).read(*module);
  } catch (const ReadError &refused) {
    error = refused.what();
  } catch (const HloMisfit &) {
    error = std::string("has types or functions that do not fit; ") + printAgain;
  }
  return std::nullopt;
}

} // namespace plc::import
