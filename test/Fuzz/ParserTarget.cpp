//===- ParserTarget.cpp - any bytes, read as a file -----------------------===//
//
// What must hold of any bytes: the parser ends, reports places inside the text, and what it reports nothing about is
// complete. The text has no zero behind it, so that reading beyond its end is an error of the address sanitizer.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "Syntax/Parser.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace plc::language;
using plc::Diagnostics;

namespace {
class Checker {
public:
  Checker(StringRef text, bool whole) : text(text), whole(whole) {}

  void check(const File &file) {
    for (const Expr &expr : file.exprs)
      checkExpr(expr);
    for (const Statement &statement : file.statements)
      checkStatement(statement);
    for (const Function &function : file.functionStore)
      require(!whole || (!function.name.empty() && (function.kind == Function::Optimizer) == function.results.empty()),
              "a header without name, or without results if it is no optimizer's");
  }
  void checkPlace(SMLoc location) {
    require(location.isValid() && text.begin() <= location.getPointer() && location.getPointer() <= text.end(),
            "a place outside the text");
  }

private:
  void checkExpr(const Expr &expr) {
    checkPlace(expr.location);
    checkPlace(SMLoc::getFromPointer(expr.text.begin()));
    checkPlace(SMLoc::getFromPointer(expr.text.end()));
    if (!whole)
      return;
    require(!expr.text.empty(), "an expression without text");
    bool chain = expr.kind == Expr::Sum || expr.kind == Expr::Product;
    require(!chain || expr.operands.size() == expr.operators.size(), "operands without operators");
    require(expr.kind != Expr::If || expr.operands.size() == 3, "an 'if' without three operands");
    for (const Expr *operand : expr.operands)
      require(operand && expr.text.begin() <= operand->text.begin() && operand->text.end() <= expr.text.end(),
              "an operand outside its expression");
  }

  void checkStatement(const Statement &statement) {
    checkPlace(statement.location);
    if (!whole)
      return;
    require(!statement.isBroken, "a broken statement without an error");
    bool valued =
        statement.kind == Statement::Rule || statement.kind == Statement::Stash || statement.kind == Statement::Repeat;
    require(!valued || statement.value, "a statement without its value");
    require(statement.kind != Statement::Rule || !statement.lefts.empty(), "a rule without a left side");
    for (const ParamName &param : statement.params)
      require(param.initializer < static_cast<int>(statement.initializers.size()), "an initializer that is not there");
  }

  StringRef text;
  bool whole; // no error was reported
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "fuzzed.ein", false), SMLoc());
  Diagnostics diagnostics(sources);
  File file;
  parseFile(text, file, diagnostics);

  Checker checker(text, diagnostics.empty());
  checker.check(file);
  for (const plc::Diagnostic *found : diagnostics.sorted()) {
    checker.checkPlace(found->location);
    for (const plc::Diagnostic::Note &note : found->notes)
      checker.checkPlace(note.location);
  }
  if (size % 8 == 0) // printing takes longer than all else
    diagnostics.print(llvm::nulls());
  return 0;
}
