//===- Documents.cpp - open texts, in the protocol's types ----------------===//
#include "Documents.h"

#include "plc/Dialect/Blis/Blis.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using plc::language::EditedFile;

namespace {

/// A range of one character. `line` and `column` count from 1, the protocol from 0.
lsp::Range rangeAt(unsigned line, unsigned column) {
  lsp::Position start(line ? line - 1 : 0, column ? column - 1 : 0);
  lsp::Position end = start;
  ++end.character;
  return lsp::Range(start, end);
}

// A diagnostic of this server.
lsp::Diagnostic makeDiagnostic(lsp::Range range, StringRef message,
                               lsp::DiagnosticSeverity severity = lsp::DiagnosticSeverity::Error) {
  lsp::Diagnostic diagnostic;
  diagnostic.range = range;
  diagnostic.severity = severity;
  diagnostic.source = "plc";
  diagnostic.message = message.str();
  return diagnostic;
}

// Adds a note to a diagnostic.
void addNote(lsp::Diagnostic &diagnostic, const lsp::URIForFile &uri, lsp::Range range, StringRef message) {
  if (!diagnostic.relatedInformation)
    diagnostic.relatedInformation.emplace();
  diagnostic.relatedInformation->emplace_back(lsp::Location(uri, range), message.str());
}

// The errors of parsing and verifying IR. Each text has a context of its own, so that a server that runs for days does
// not grow.
std::vector<lsp::Diagnostic> diagnoseIR(const lsp::URIForFile &uri, StringRef text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<plc::ein::EinDialect, plc::plan::PlanDialect, plc::blis::BlisDialect>();
  std::vector<lsp::Diagnostic> result;
  auto rangeOf = [](mlir::Location location) {
    auto source = location->findInstanceOf<mlir::FileLineColLoc>();
    return source ? rangeAt(source.getLine(), source.getColumn()) : rangeAt(1, 1);
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

Document::Document(const lsp::URIForFile &uri, StringRef text, const Reader &reader) : uri(uri), text(text) {
  // The protocol counts lines and columns, the language bytes.
  lineBegins.push_back(0);
  for (size_t i = 0; i < this->text.size(); ++i)
    if (this->text[i] == '\n')
      lineBegins.push_back(i + 1);
  // IR is parsed when it is diagnosed.
  if (!uri.file().ends_with(".ein"))
    return;
  plc::language::ParseOptions options;
  options.readFile = reader;
  model = std::make_unique<EditedFile>(uri.file(), text, options);
}

Document::~Document() = default;

lsp::Position Document::positionOf(size_t offset) const {
  size_t line = llvm::upper_bound(lineBegins, offset) - lineBegins.begin() - 1;
  return lsp::Position(line, offset - lineBegins[line]);
}

lsp::Range Document::rangeOf(EditedFile::Range range) const {
  return lsp::Range(positionOf(range.begin), positionOf(range.end));
}

// Positions outside of the text are clamped, since an editor may be ahead of the server.
size_t Document::offsetOf(lsp::Position position) const {
  size_t line = std::min<size_t>(std::max(position.line, 0), lineBegins.size() - 1);
  return std::min(lineBegins[line] + std::max(position.character, 0), text.size());
}

std::vector<lsp::Diagnostic> Document::diagnose() const {
  if (!model)
    return diagnoseIR(uri, text);
  std::vector<lsp::Diagnostic> result;
  for (const EditedFile::Message &message : model->messages()) {
    lsp::Diagnostic &diagnostic = result.emplace_back(
        makeDiagnostic(rangeOf(message.range), message.text,
                       message.isWarning ? lsp::DiagnosticSeverity::Warning : lsp::DiagnosticSeverity::Error));
    for (const auto &[range, note] : message.notes)
      addNote(diagnostic, uri, rangeOf(range), note);
  }
  return result;
}

std::optional<lsp::Hover> Document::hover(lsp::Position at) const {
  std::optional<EditedFile::Hover> found = model ? model->hover(offsetOf(at)) : std::nullopt;
  if (!found)
    return std::nullopt;
  lsp::Hover hover(rangeOf(found->range));
  hover.contents.value = found->text;
  return hover;
}

std::vector<lsp::Location> Document::definition(lsp::Position at) const {
  std::optional<EditedFile::Location> source = model ? model->definition(offsetOf(at)) : std::nullopt;
  if (!source)
    return {};
  lsp::Position begin(source->line - 1, source->column - 1), end = begin;
  end.character += source->length;
  // This document keeps the URI of the editor, whatever its scheme.
  if (source->file == uri.file())
    return {lsp::Location(uri, lsp::Range(begin, end))};
  Expected<lsp::URIForFile> other = lsp::URIForFile::fromFile(source->file, uri.scheme());
  if (!other) {
    consumeError(other.takeError());
    return {};
  }
  return {lsp::Location(*other, lsp::Range(begin, end))};
}

Expected<lsp::WorkspaceEdit> Document::rename(lsp::Position at, StringRef name) const {
  std::string wrong = model ? model->wrongAsIndex(offsetOf(at), name) : "only indices of rules are renamed";
  if (!wrong.empty())
    return make_error<lsp::LSPError>(wrong, lsp::ErrorCode::InvalidParams);
  lsp::WorkspaceEdit edit;
  for (EditedFile::Range range : model->locationsOfIndex(offsetOf(at)))
    edit.changes[uri.uri().str()].push_back({rangeOf(range), name.str()});
  return edit;
}

lsp::CompletionList Document::complete(lsp::Position at) const {
  using Kind = EditedFile::Completion::Kind;
  lsp::CompletionList list;
  if (!model)
    return list;
  for (const EditedFile::Completion &found : model->complete(offsetOf(at))) {
    lsp::CompletionItemKind kind = found.kind == Kind::Function  ? lsp::CompletionItemKind::Function
                                   : found.kind == Kind::Word    ? lsp::CompletionItemKind::Keyword
                                   : found.kind == Kind::Library ? lsp::CompletionItemKind::Module
                                   : found.kind == Kind::Size    ? lsp::CompletionItemKind::Constant
                                                                 : lsp::CompletionItemKind::Variable;
    lsp::CompletionItem &item = list.items.emplace_back(found.name, kind);
    item.detail = found.detail;
    if (!found.documentation.empty())
      item.documentation = lsp::MarkupContent{lsp::MarkupKind::PlainText, found.documentation};
  }
  return list;
}
