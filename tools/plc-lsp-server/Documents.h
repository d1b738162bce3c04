//===- Documents.h - open texts ---------------------------------*- C++ -*-===//
#ifndef PLC_TOOLS_PLC_LSP_SERVER_DOCUMENTS_H
#define PLC_TOOLS_PLC_LSP_SERVER_DOCUMENTS_H

#include "plc/Language/Files/EditedFile.h"

#include "llvm/Support/LSP/Protocol.h"

#include <functional>
#include <memory>
#include <vector>

/// One open text, read once: a model (.ein), or IR (any other), of which only errors are reported. Columns count bytes.
class Document {
public:
  using Reader = std::function<llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>(llvm::StringRef path)>;

  /// `reader` reads the files that a model uses.
  Document(const llvm::lsp::URIForFile &uri, llvm::StringRef text, const Reader &reader);
  ~Document();

  llvm::StringRef getText() const { return text; }
  /// The errors, as `plc-compile` or `plc-opt` reports them. Notes at locations of the text are related information.
  std::vector<llvm::lsp::Diagnostic> diagnose() const;
  /// Replies to the requests of the protocol. For IR they are empty, and `rename` fails.
  std::optional<llvm::lsp::Hover> hover(llvm::lsp::Position at) const;
  std::vector<llvm::lsp::Location> definition(llvm::lsp::Position at) const;
  llvm::Expected<llvm::lsp::WorkspaceEdit> rename(llvm::lsp::Position at, llvm::StringRef name) const;
  llvm::lsp::CompletionList complete(llvm::lsp::Position at) const;

private:
  size_t offsetOf(llvm::lsp::Position position) const;
  llvm::lsp::Position positionOf(size_t offset) const;
  llvm::lsp::Range rangeOf(plc::language::EditedFile::Range range) const;

  llvm::lsp::URIForFile uri;
  std::string text;
  std::vector<size_t> lineBegins;
  std::unique_ptr<plc::language::EditedFile> model; // null for IR
};

#endif
