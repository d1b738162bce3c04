//===- Documents.cpp - what is wrong with a text ----------------------------===//
#include "Documents.h"

#include "plc/Dialect/Blis/Blis.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Language/ParseModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace {

/// A range of one character: `line` and `column` count from 1.
lsp::Range rangeAt(unsigned line, unsigned column) {
  lsp::Position start(line ? line - 1 : 0, column ? column - 1 : 0);
  lsp::Position end = start;
  ++end.character;
  return lsp::Range(start, end);
}

lsp::Diagnostic makeDiagnostic(lsp::Range range, StringRef message,
                               lsp::DiagnosticSeverity severity = lsp::DiagnosticSeverity::Error) {
  lsp::Diagnostic diagnostic;
  diagnostic.range = range;
  diagnostic.severity = severity;
  diagnostic.source = "plc";
  diagnostic.message = message.str();
  return diagnostic;
}

void addNote(lsp::Diagnostic &diagnostic, const lsp::URIForFile &uri, lsp::Range range, StringRef message) {
  if (!diagnostic.relatedInformation)
    diagnostic.relatedInformation.emplace();
  diagnostic.relatedInformation->emplace_back(lsp::Location(uri, range), message.str());
}

std::vector<lsp::Diagnostic> diagnoseModel(const lsp::URIForFile &uri, StringRef text) {
  SourceMgr sources;
  unsigned file = sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, uri.file()), SMLoc());
  auto rangeOf = [&](SMLoc place) -> std::optional<lsp::Range> {
    if (!place.isValid() || sources.FindBufferContainingLoc(place) != file)
      return std::nullopt;
    auto [line, column] = sources.getLineAndColumn(place, file);
    return rangeAt(line, column);
  };
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  plc::Diagnostics errors(sources);
  plc::language::parseModel(sources, context, {}, errors);

  std::vector<lsp::Diagnostic> result;
  for (const plc::Diagnostic *error : errors.sorted()) {
    lsp::Diagnostic &diagnostic = result.emplace_back(
        makeDiagnostic(rangeOf(error->place).value_or(rangeAt(1, 1)), error->text,
                       error->isWarning ? lsp::DiagnosticSeverity::Warning : lsp::DiagnosticSeverity::Error));
    for (const plc::Diagnostic::Note &note : error->notes)
      if (std::optional<lsp::Range> range = rangeOf(note.place))
        addNote(diagnostic, uri, *range, note.text);
  }
  return result;
}

std::vector<lsp::Diagnostic> diagnoseIR(const lsp::URIForFile &uri, StringRef text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<plc::ein::EinDialect, plc::plan::PlanDialect, plc::blis::BlisDialect>();
  std::vector<lsp::Diagnostic> result;
  auto rangeOf = [](mlir::Location location) {
    auto place = location->findInstanceOf<mlir::FileLineColLoc>();
    return place ? rangeAt(place.getLine(), place.getColumn()) : rangeAt(1, 1);
  };
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &error) {
    if (error.getSeverity() != mlir::DiagnosticSeverity::Error)
      return;
    lsp::Diagnostic &diagnostic = result.emplace_back(makeDiagnostic(rangeOf(error.getLocation()), error.str()));
    for (mlir::Diagnostic &note : error.getNotes())
      addNote(diagnostic, uri, rangeOf(note.getLocation()), note.str());
  });
  mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), uri.file());
  return result;
}

} // namespace

std::vector<lsp::Diagnostic> diagnose(const lsp::URIForFile &uri, StringRef text) {
  return uri.file().ends_with(".ein") ? diagnoseModel(uri, text) : diagnoseIR(uri, text);
}
