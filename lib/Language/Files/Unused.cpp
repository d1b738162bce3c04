//===- Unused.cpp - warnings about unused names ---------------------------===//
#include "Unused.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace plc::language;

namespace {
/// Visits the text, not elaborated bodies: a body that is elaborated for several sizes would warn several times.
class UnusedNames {
public:
  UnusedNames(const llvm::StringSet<> &outside, plc::Diagnostics &diagnostics)
      : outside(outside), diagnostics(diagnostics) {}
  void check(const Function &function);

private:
  void use(const Expr *expr);
  void useAll(const std::vector<Statement *> &body);
  void report(const std::vector<Statement *> &body);
  bool isUsed(const Declarator &name) const {
    return used.contains(name.name) || outside.contains(name.name) || name.name.starts_with("_");
  }

  const llvm::StringSet<> &outside; // used from elsewhere: shared by other layers, or requested
  plc::Diagnostics &diagnostics;
  llvm::StringSet<> used;
};
} // namespace

/// Marks all names in an expression as used.
void UnusedNames::use(const Expr *expr) {
  if (!expr)
    return;
  used.insert(expr->name);
  for (const Expr *operand : expr->operands)
    use(operand);
  for (const IndexEntry &entry : expr->indices)
    use(entry.expr);
  for (const NamedExpr &given : expr->given)
    use(given.value);
}

void UnusedNames::useAll(const std::vector<Statement *> &body) {
  for (const Statement *statement : body) {
    use(statement->value);
    for (const Declarator &left : statement->lefts)
      for (const IndexEntry &entry : left.axes)
        use(entry.expr);
    useAll(statement->body);
  }
}

void UnusedNames::report(const std::vector<Statement *> &body) {
  for (const Statement *statement : body) {
    for (const ParamName &param : statement->params)
      if (!isUsed(param.declarator) && statement->kind == Statement::State)
        diagnostics.warning(param.declarator.location, "no rule uses the state '" + param.declarator.name + "'");
      else if (!isUsed(param.declarator))
        diagnostics.warning(param.declarator.location,
                            "no rule uses the parameter '" + param.declarator.name + "': it is neither made nor saved");
    // A call gives all of its results, wanted or not.
    bool defines = (statement->kind == Statement::Rule && !statement->isNext) || statement->kind == Statement::Pop;
    if (defines && llvm::none_of(statement->lefts, [&](const Declarator &left) { return isUsed(left); }))
      diagnostics.warning(statement->location,
                          "no rule uses '" + statement->lefts[0].name + "', and it is no result: it is not computed");
    report(statement->body);
  }
}

void UnusedNames::check(const Function &function) {
  for (const Declarator &result : function.results)
    used.insert(result.name);
  useAll(function.body);
  report(function.body);
}

/// Parameters that a `share` names are used by another layer.
static void collectShared(const std::vector<Statement *> &body, llvm::StringSet<> &shared) {
  for (const Statement *statement : body) {
    if (statement->kind == Statement::Share)
      shared.insert(StringRef(statement->path).rsplit('.').second);
    collectShared(statement->body, shared);
  }
}

void plc::language::warnOfUnused(const Library &library, llvm::ArrayRef<std::string> exposed,
                                 Diagnostics &diagnostics) {
  llvm::StringSet<> outside;
  std::vector<const Function *> functions;
  for (const auto &unit : library.units)
    if (!unit->isStandard)
      functions.insert(functions.end(), unit->file.functions.begin(), unit->file.functions.end());
  for (const Function *function : functions)
    collectShared(function->body, outside);
  for (StringRef path : exposed)
    outside.insert(path.rsplit('.').second);
  for (const Function *function : functions)
    UnusedNames(outside, diagnostics).check(*function);
}
