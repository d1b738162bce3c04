//===- SplitScalars.cpp - an optimizer's rules as two models --------------===//
//
// Scalars are computed once for a step, in f64; tensors element by element, in the parameter's type. A rule may mix
// both, as in `m * beta1 + (1 - beta1) * g`. So each largest expression of scalars alone, here `1 - beta1`, becomes a
// result of a model of scalars, and an argument of the rules on tensors, which has its text for a name.
//
//===----------------------------------------------------------------------===//
#include "SplitScalars.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/Nearest.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostics;
using plc::module::OptimizerForm;

namespace {
class ScalarSplitter {
public:
  ScalarSplitter(Unit &unit, const Function &optimizer, const OptimizerForm &form, llvm::ArrayRef<int64_t> shape,
                 Diagnostics &diagnostics)
      : unit(unit), file(unit.file), optimizer(optimizer), form(form), diagnostics(diagnostics),
        shape(shape.begin(), shape.end()) {
    if (form.isElementwise())
      this->shape = {plc::module::updateBlock};
  }

  std::optional<SplitRules> run() {
    size_t errors = diagnostics.size();
    for (const Declarator &argument : optimizer.arguments)
      known[argument.name] = What::Tensor;
    for (const NamedExpr &setting : optimizer.given)
      known[setting.name] = What::Given;
    known[plc::module::rateName] = known[plc::module::stepName] = What::Given;
    for (const Statement *statement : optimizer.body)
      for (const ParamName &state : statement->params)
        states.push_back(&state.declarator), known[state.declarator.name] = What::Tensor;
    SplitRules split;
    scalars = make(Function::Model, optimizer.name.str() + ".scalars");
    split.rules = rules = make(Function::Fn, optimizer.name.str() + " rules"); // no name that a text can call
    unit.functions[rules->name] = rules;
    for (const Statement *statement : optimizer.body)
      if (statement->kind == Statement::Rule)
        addRule(*statement);
    if (diagnostics.size() != errors)
      return std::nullopt;
    finishRules();
    split.scalars = finishScalars();
    split.tensors = makeTensors();
    return split;
  }

private:
  enum class What {
    Tensor, // of the parameter's axes
    Given,  // a number that the step gives
    Scalar, // a rule of scalars
    Truth   // such a rule whose value is a boolean: it has no f64, so it is computed with the elements, too
  };

  Function *make(Function::Kind kind, StringRef name) {
    Function &made = file.functionStore.emplace_back();
    made.kind = kind;
    made.name = file.names.emplace_back(name.str());
    made.location = optimizer.location;
    return &made;
  }

  // Expressions.

  static bool isExtent(const Expr &expr) { return expr.kind == Expr::Call && expr.name == "size"; }
  static bool isPower(const Expr &expr) { return expr.kind == Expr::Call && expr.name == "power"; }
  bool isTruth(const Expr &expr) const {
    switch (expr.kind) {
    case Expr::Paren: return isTruth(*expr.operands[0]);
    case Expr::Compare:
    case Expr::And:
    case Expr::Or:
    case Expr::Not: return true;
    case Expr::Name: return known.lookup(expr.name) == What::Truth;
    default: return false;
    }
  }
  /// Whether no tensor occurs, and no extent, which only the tensors' model knows.
  bool isScalar(const Expr &expr) const {
    if (expr.kind == Expr::Access || expr.brackets || isExtent(expr))
      return false;
    if (expr.kind == Expr::Name && !isSizeName(expr.name))
      return known.lookup(expr.name) != What::Tensor;
    return llvm::all_of(expr.operands, [&](const Expr *operand) { return isScalar(*operand); });
  }
  /// Whether the value depends on the step: numbers and sizes alone stay with the elements.
  bool hasNames(const Expr &expr) const {
    return isPower(expr) || (expr.kind == Expr::Name && !isSizeName(expr.name)) ||
           llvm::any_of(expr.operands, [&](const Expr *operand) { return hasNames(*operand); });
  }

  void checkNames(const Expr &expr) {
    bool isName = (expr.kind == Expr::Name && !isSizeName(expr.name)) || expr.kind == Expr::Access;
    if (isName && !known.count(expr.name))
      reportUnknown(expr);
    if (isPower(expr))
      return checkPower(expr);
    if (isExtent(expr))
      return; // of an index
    for (const Expr *operand : expr.operands)
      checkNames(*operand);
    for (const NamedExpr &given : expr.given)
      checkNames(*given.value);
  }

  void reportUnknown(const Expr &expr) {
    plc::Nearest nearest(expr.name);
    nearest.offerKeys(known);
    std::vector<std::string> names;
    for (const auto &each : known)
      names.push_back("'" + each.getKey().str() + "'");
    llvm::sort(names);
    diagnostics.error(expr.location, "unknown name '" + expr.name + "'" + nearest.text() +
                                         "; an optimizer sees no other parameter, it has " + llvm::join(names, ", "));
  }

  void checkPower(const Expr &expr) {
    bool isSetting = expr.operands.size() == 2 && expr.operands[0]->kind == Expr::Name &&
                     known.lookup(expr.operands[0]->name) == What::Given && expr.operands[1]->kind == Expr::Name &&
                     expr.operands[1]->name == plc::module::stepName && !expr.brackets;
    if (!isSetting)
      diagnostics.error(expr.location, "found '" + expr.text.substr(0, 60) +
                                           "', expected 'power(SETTING, step)', the setting multiplied by itself " +
                                           "step times");
  }

  Expr *copyOf(const Expr &expr) {
    file.exprs.push_back(expr);
    return &file.exprs.back();
  }

  /// A name in place of an expression.
  const Expr *nameFor(const Expr &expr, StringRef name) {
    Expr &made = file.exprs.emplace_back();
    made.kind = Expr::Name;
    made.location = expr.location;
    made.text = expr.text;
    made.name = name;
    return &made;
  }

  /// The expression as the scalars' model has it: powers are arguments.
  const Expr *inScalars(const Expr &expr) {
    if (isPower(expr)) {
      StringRef name = powerName(expr);
      used.insert(name);
      return nameFor(expr, name);
    }
    if (expr.kind == Expr::Name && known.lookup(expr.name) == What::Given)
      used.insert(expr.name);
    Expr *copy = copyOf(expr);
    for (const Expr *&operand : copy->operands)
      operand = inScalars(*operand);
    return copy;
  }

  StringRef powerName(const Expr &power) {
    return file.names.emplace_back(plc::module::powerName(power.operands[0]->name.str()));
  }

  /// The argument of the rules that stands for an expression of scalars.
  const Expr *argumentFor(const Expr &expr) {
    if (expr.kind == Expr::Paren)
      return argumentFor(*expr.operands[0]);
    if (expr.kind == Expr::Name) {
      if (known.lookup(expr.name) != What::Truth)
        arguments.insert(expr.name);
      return &expr;
    }
    if (isPower(expr)) {
      StringRef name = powerName(expr);
      arguments.insert(name);
      return nameFor(expr, name);
    }
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(expr.text, words);
    std::string text = llvm::join(words, " ");
    // A result with a point in its name would be a layer's, and names of IR have no parentheses.
    for (auto [from, to] : {std::pair('.', ','), {'(', '['}, {')', ']'}})
      std::replace(text.begin(), text.end(), from, to);
    StringRef name = file.names.emplace_back(std::move(text));
    if (arguments.insert(name)) {
      Statement &statement = file.statements.emplace_back();
      statement.kind = Statement::Rule;
      statement.location = expr.location;
      Declarator &left = statement.lefts.emplace_back();
      left.name = name;
      left.location = expr.location;
      statement.value = inScalars(expr);
      scalars->body.push_back(&statement);
      computed.insert(name);
    }
    return nameFor(expr, name);
  }

  /// The expression as the rules on tensors have it.
  const Expr *inTensors(const Expr &expr) {
    if (isScalar(expr) && hasNames(expr) && !isTruth(expr))
      return argumentFor(expr);
    if (expr.kind == Expr::Number || expr.kind == Expr::Name || expr.kind == Expr::Access || isExtent(expr))
      return &expr;
    Expr *copy = copyOf(expr);
    size_t first = 0;
    if (expr.kind == Expr::Sum || expr.kind == Expr::Product)
      first = joinLeading(expr, *copy);
    for (const Expr *&operand : llvm::MutableArrayRef(copy->operands).drop_front(first))
      operand = inTensors(*operand);
    return copy;
  }

  /// Operators associate to the left, so scalars at the beginning of a chain meet each other first: one argument.
  /// Returns 1 if there are several such.
  size_t joinLeading(const Expr &chain, Expr &copy) {
    size_t leading = 0;
    while (leading < chain.operands.size() && isScalar(*chain.operands[leading]) && !isTruth(*chain.operands[leading]))
      ++leading;
    if (leading < 2)
      return 0;
    Expr *joined = copyOf(chain);
    joined->operands.resize(leading);
    joined->operators.resize(leading);
    const char *begin = chain.text.begin();
    joined->text = StringRef(begin, joined->operands.back()->text.end() - begin);
    if (!hasNames(*joined))
      return 0;
    copy.operands.erase(copy.operands.begin() + 1, copy.operands.begin() + leading);
    copy.operators.erase(copy.operators.begin() + 1, copy.operators.begin() + leading);
    copy.operands[0] = argumentFor(*joined);
    return 1;
  }

  // Statements.

  void addRule(const Statement &rule) {
    if (rule.isBroken || !rule.value)
      return;
    size_t errors = diagnostics.size();
    checkNames(*rule.value);
    bool isBare = llvm::none_of(rule.lefts, [](const Declarator &left) { return left.brackets; });
    bool isScalarRule = !rule.isNext && isBare && isScalar(*rule.value);
    bool truth = isScalarRule && isTruth(*rule.value);
    if (diagnostics.size() == errors) {
      if (isScalarRule)
        scalars->body.push_back(copyOf(rule, inScalars(*rule.value)));
      if (!isScalarRule || truth)
        rules->body.push_back(copyOf(rule, inTensors(*rule.value)));
    }
    for (const Declarator &left : rule.lefts) {
      if (rule.isNext)
        continue;
      if (isScalarRule && !truth)
        computed.insert(left.name);
      known[left.name] = truth ? What::Truth : isScalarRule ? What::Scalar : What::Tensor;
    }
  }

  Statement *copyOf(const Statement &rule, const Expr *value) {
    file.statements.push_back(rule);
    Statement &copy = file.statements.back();
    copy.isNext = false;
    copy.value = value;
    return &copy;
  }

  // Headers.

  static Declarator plain(StringRef name, SMLoc location) {
    Declarator made;
    made.name = name;
    made.location = location;
    return made;
  }
  /// A tensor of the rules by another name.
  static Declarator named(const Declarator &like, StringRef name) {
    Declarator made = like;
    made.name = name;
    return made;
  }
  /// A tensor of the model.
  Declarator sized(const Declarator &like, llvm::ArrayRef<int64_t> extents) {
    Declarator made = plain(like.name, like.location);
    made.brackets = !extents.empty();
    for (int64_t extent : extents) {
      Expr &number = file.exprs.emplace_back();
      number.kind = Expr::Number;
      number.location = like.location;
      number.text = file.names.emplace_back(std::to_string(extent));
      made.axes.push_back({like.location, &number});
    }
    return made;
  }
  std::vector<int64_t> shapeOf(const Declarator &tensor) const {
    auto state = llvm::find_if(form.states, [&](const auto &each) { return each.name == tensor.name; });
    return state == form.states.end() ? shape : state->shapeOf(shape);
  }

  std::vector<const Declarator *> tensors() const {
    std::vector<const Declarator *> tensors{&optimizer.arguments[0], &optimizer.arguments[1]};
    tensors.insert(tensors.end(), states.begin(), states.end());
    return tensors;
  }

  void finishRules() {
    for (const Declarator *tensor : tensors())
      rules->arguments.push_back(*tensor);
    for (StringRef name : arguments)
      rules->arguments.push_back(plain(name, optimizer.location));
    for (const Declarator *tensor : tensors())
      if (tensor != &optimizer.arguments[1])
        rules->results.push_back(named(*tensor, file.names.emplace_back("next " + tensor->name.str())));
  }

  Function *finishScalars() {
    for (StringRef name : used)
      scalars->arguments.push_back(plain(name, optimizer.location));
    for (StringRef name : arguments)
      if (computed.contains(name))
        scalars->results.push_back(plain(name, optimizer.location));
    return scalars->results.empty() ? nullptr : scalars;
  }

  Function *makeTensors() {
    Expr &call = file.exprs.emplace_back();
    call.kind = Expr::Call;
    call.location = optimizer.location;
    call.text = optimizer.name;
    call.name = rules->name;
    Function *made = make(Function::Model, optimizer.name.str() + ".tensors");
    Statement &statement = file.statements.emplace_back();
    statement.kind = Statement::Rule;
    statement.location = optimizer.location;
    statement.value = &call;
    for (const Declarator *tensor : tensors()) {
      made->arguments.push_back(sized(*tensor, shapeOf(*tensor)));
      if (tensor == &optimizer.arguments[1])
        continue;
      statement.lefts.push_back(plain(tensor->name, tensor->location));
      made->results.push_back(made->arguments.back());
    }
    for (StringRef name : arguments)
      made->arguments.push_back(plain(name, optimizer.location));
    for (const Declarator &argument : made->arguments) {
      Expr &name = file.exprs.emplace_back();
      name.kind = Expr::Name;
      name.location = optimizer.location;
      name.text = optimizer.name;
      name.name = argument.name;
      call.operands.push_back(&name);
    }
    made->body.push_back(&statement);
    return made;
  }

  Unit &unit;
  File &file;
  const Function &optimizer;
  const OptimizerForm &form;
  Diagnostics &diagnostics;
  std::vector<int64_t> shape; // of the parameter
  llvm::StringMap<What> known;
  std::vector<const Declarator *> states;
  Function *scalars = nullptr, *rules = nullptr;
  llvm::SetVector<StringRef> used;      // given numbers that the scalars' model reads
  llvm::SetVector<StringRef> arguments; // scalars that the rules on tensors read
  llvm::DenseSet<StringRef> computed;   // those that the scalars' model computes
};
} // namespace

std::optional<SplitRules> plc::language::splitScalars(Unit &unit, const Function &optimizer, const OptimizerForm &form,
                                                      llvm::ArrayRef<int64_t> shape, Diagnostics &diagnostics) {
  return ScalarSplitter(unit, optimizer, form, shape, diagnostics).run();
}
