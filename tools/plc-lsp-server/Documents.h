//===- Documents.h - what is wrong with a text ------------------*- C++ -*-===//
#ifndef PLC_TOOLS_PLC_LSP_SERVER_DOCUMENTS_H
#define PLC_TOOLS_PLC_LSP_SERVER_DOCUMENTS_H

#include "llvm/Support/LSP/Protocol.h"

#include <vector>

/// The errors of a document, as `plc-compile` (.ein) or `plc-opt` (any other: IR) would report them; notes at places
/// of the document are related information.
std::vector<llvm::lsp::Diagnostic> diagnose(const llvm::lsp::URIForFile &uri, llvm::StringRef text);

#endif
