//===- References.cpp - the names in a file's text ------------------------===//
#include "References.h"
#include "Sizes.h"
#include "llvm/ADT/StringSet.h"

using namespace plc::language;

namespace {
/// Visits all names of a file. A name in an index position may be an index, an iteration of a `repeat` or a scalar
/// tensor: each rule is visited twice, first to find its indices.
class Walker {
public:
  explicit Walker(const File &file) : file(file) {}

  std::vector<Reference> run() {
    if (!file.batch.empty())
      add(Reference::Size, file.batch);
    for (const DimDecl &dim : file.dims) {
      add(Reference::Size, dim.name, /*defines=*/true);
      walk(dim.value);
    }
    for (const Function *each : file.functions)
      walkFunction(*each);
    return std::move(found);
  }

private:
  void add(Reference::Kind kind, StringRef name, bool defines = false) {
    found.push_back({kind, name, defines, function, statement});
  }
  void walkFunction(const Function &each);
  void walkHeader(const Declarator &declarator, bool defines);
  void walkBody(const std::vector<Statement *> &body);
  void walkStatement(const Statement &each);
  void findIndices(const Expr *expr, bool inPosition);
  void findIndices(const std::vector<IndexEntry> &entries);
  void walk(const Expr *expr, bool inPosition = false);
  void walk(const std::vector<IndexEntry> &entries);
  void walkName(StringRef name, bool inPosition);

  const File &file;
  std::vector<Reference> found;
  const Function *function = nullptr;
  const Statement *statement = nullptr;
  std::vector<StringRef> iterations;
  llvm::StringSet<> scalars; // arguments without axes
  llvm::StringSet<> indices; // of the rule
};
} // namespace

void Walker::walkHeader(const Declarator &declarator, bool defines) {
  add(Reference::Tensor, declarator.name, defines);
  for (const IndexEntry &entry : declarator.axes)
    if (entry.expr && entry.expr->kind == Expr::Name && !isSizeName(entry.expr->name))
      add(Reference::Axis, entry.expr->name, defines);
    else
      walk(entry.expr);
}

void Walker::walkFunction(const Function &each) {
  function = &each;
  iterations.clear();
  scalars.clear();
  indices.clear();
  add(Reference::Callee, each.name, /*defines=*/true);
  for (const Declarator &argument : each.arguments) {
    walkHeader(argument, /*defines=*/true);
    if (!argument.brackets && !argument.element.empty())
      scalars.insert(argument.name);
  }
  for (const NamedExpr &given : each.given) {
    add(isSizeName(given.name) ? Reference::Size : Reference::Tensor, given.name, /*defines=*/true);
    walk(given.value);
  }
  for (const Declarator &result : each.results)
    walkHeader(result, /*defines=*/false);
  walkBody(each.body);
  function = nullptr;
}

void Walker::walkBody(const std::vector<Statement *> &body) {
  for (const Statement *each : body) {
    const Statement *outer = statement;
    statement = each;
    walkStatement(*each);
    statement = outer;
  }
}

/// Rules are the only statements with indices.
void Walker::walkStatement(const Statement &each) {
  indices.clear();
  if (each.kind == Statement::Repeat) {
    walk(each.value);
    if (!each.iteration.empty()) {
      add(Reference::Turn, each.iteration, /*defines=*/true);
      iterations.push_back(each.iteration);
    }
    walkBody(each.body);
    if (!each.iteration.empty())
      iterations.pop_back();
    return;
  }
  for (const ParamName &param : each.params)
    walkHeader(param.declarator, /*defines=*/true);
  for (const InitializerExpr &initializer : each.initializers)
    for (const Expr *argument : initializer.arguments)
      walk(argument);
  bool isRule = each.kind == Statement::Rule;
  if (isRule) {
    for (const Declarator &left : each.lefts)
      findIndices(left.axes);
    if (each.value)
      findIndices(each.value, /*inPosition=*/false);
  }
  for (const Declarator &left : each.lefts) {
    if (!isRule && each.params.empty())
      walkHeader(left, each.kind != Statement::Extents);
    if (!isRule)
      continue;
    add(Reference::Tensor, left.name, /*defines=*/true);
    walk(left.axes);
  }
  walk(each.value);
  walk(each.space.iteration);
}

/// Collects the names in index positions and brackets that are indices of the rule.
void Walker::findIndices(const Expr *expr, bool inPosition) {
  if (expr->kind == Expr::Name && inPosition && !isSizeName(expr->name) &&
      !llvm::is_contained(iterations, expr->name) && !scalars.contains(expr->name))
    indices.insert(expr->name);
  findIndices(expr->indices);
  bool isSize = isSizeCall(*expr);
  for (const Expr *operand : expr->operands)
    findIndices(operand, inPosition && !isSize);
}

void Walker::findIndices(const std::vector<IndexEntry> &entries) {
  for (const IndexEntry &entry : entries)
    if (entry.expr)
      findIndices(entry.expr, /*inPosition=*/true);
}

/// Sizes begin with an upper-case letter; iterations and indices hide tensors.
void Walker::walkName(StringRef name, bool inPosition) {
  if (isSizeName(name))
    add(Reference::Size, name);
  else if (llvm::is_contained(iterations, name))
    add(Reference::Turn, name);
  else if (indices.contains(name))
    add(Reference::Index, name);
  else
    add(Reference::Tensor, name);
}

void Walker::walk(const Expr *expr, bool inPosition) {
  if (!expr)
    return;
  if (isSizeCall(*expr)) {
    StringRef axis = expr->operands[0]->name;
    add(Reference::Callee, expr->name);
    add(indices.contains(axis) ? Reference::Index : Reference::Axis, axis);
    return;
  }
  if (expr->kind == Expr::Name)
    walkName(expr->name, inPosition);
  if (expr->kind == Expr::Access)
    add(Reference::Tensor, expr->name);
  if (expr->kind == Expr::Call)
    add(Reference::Callee, expr->name);
  walk(expr->indices);
  for (const Expr *operand : expr->operands)
    walk(operand, inPosition);
  for (const NamedExpr &given : expr->given)
    walk(given.value);
}

void Walker::walk(const std::vector<IndexEntry> &entries) {
  for (const IndexEntry &entry : entries) {
    walk(entry.expr, /*inPosition=*/true);
    walk(entry.extent);
  }
}

std::vector<Reference> plc::language::referencesOf(const File &file) { return Walker(file).run(); }

bool plc::language::mentions(const Expr &expr, StringRef name) {
  auto does = [&](const Expr *each) { return each && mentions(*each, name); };
  return expr.name == name || llvm::any_of(expr.operands, does) ||
         llvm::any_of(expr.given, [&](const NamedExpr &each) { return does(each.value); }) ||
         llvm::any_of(expr.indices, [&](const IndexEntry &entry) { return does(entry.expr) || does(entry.extent); });
}
