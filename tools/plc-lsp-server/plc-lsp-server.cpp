//===- plc-lsp-server.cpp - the language server ---------------------------===//
#include "Documents.h"

#include "plc/Support/Version.h"

#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace llvm::lsp;

static const char help[] =
    R"(plc-lsp-server: errors in .ein models and .mlir files, as they are typed; in models also completion,
types and extents, definitions, and new names for indices
usage: plc-lsp-server        (speaks the Language Server Protocol on standard input and output)
  --help     this text
  --version  the version of plc
example, for Neovim: vim.lsp.start({ name = "plc", cmd = { "plc-lsp-server" } })
)";

namespace {

/// `textDocument/rename`.
struct RenameParams {
  TextDocumentPositionParams at;
  std::string newName;
};

bool fromJSON(const json::Value &value, RenameParams &result, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && fromJSON(value, result.at, path) && map.map("newName", result.newName);
}

/// The state of the protocol: open documents, which are read whole at every change. Models are small, so nothing is
/// incremental.
class Server {
public:
  explicit Server(MessageHandler &messages)
      : publish(messages.outgoingNotification<PublishDiagnosticsParams>("textDocument/publishDiagnostics")) {
    messages.method("initialize", this, &Server::initialize);
    messages.method("shutdown", this, &Server::shutdown);
    messages.notification("initialized", this, &Server::ignore);
    messages.notification("textDocument/didOpen", this, &Server::didOpen);
    messages.notification("textDocument/didChange", this, &Server::didChange);
    messages.notification("textDocument/didClose", this, &Server::didClose);
    messages.method("textDocument/hover", this, &Server::hover);
    messages.method("textDocument/definition", this, &Server::definition);
    messages.method("textDocument/completion", this, &Server::complete);
    messages.method("textDocument/rename", this, &Server::rename);
  }

  bool wasShutDown = false;

private:
  void initialize(const InitializeParams &, Callback<json::Value> reply) {
    json::Object capabilities{
        {"textDocumentSync", json::Object{{"openClose", true}, {"change", int(TextDocumentSyncKind::Full)}}},
        {"hoverProvider", true},
        {"definitionProvider", true},
        {"renameProvider", true},
        {"completionProvider", json::Object{{"triggerCharacters", json::Array{"."}}}}};
    reply(json::Object{{"serverInfo", json::Object{{"name", "plc-lsp-server"}, {"version", plc::version()}}},
                       {"capabilities", std::move(capabilities)}});
  }
  void shutdown(const NoParams &, Callback<std::nullptr_t> reply) {
    wasShutDown = true;
    reply(nullptr);
  }
  void ignore(const NoParams &) {}
  void didOpen(const DidOpenTextDocumentParams &params) {
    read(params.textDocument.uri, params.textDocument.version, params.textDocument.text);
  }
  void didChange(const DidChangeTextDocumentParams &params) {
    if (!params.contentChanges.empty()) // whole texts: the last one is current
      read(params.textDocument.uri, params.textDocument.version, params.contentChanges.back().text);
  }
  // An editor keeps the errors of a closed document unless they are replaced by none.
  void didClose(const DidCloseTextDocumentParams &params) {
    documents.erase(params.textDocument.uri.file());
    publish(PublishDiagnosticsParams(params.textDocument.uri, 0));
  }
  void hover(const TextDocumentPositionParams &params, Callback<std::optional<Hover>> reply) {
    const Document *document = find(params.textDocument);
    reply(document ? document->hover(params.position) : std::nullopt);
  }
  void definition(const TextDocumentPositionParams &params, Callback<std::vector<Location>> reply) {
    const Document *document = find(params.textDocument);
    reply(document ? document->definition(params.position) : std::vector<Location>());
  }
  void complete(const CompletionParams &params, Callback<CompletionList> reply) {
    const Document *document = find(params.textDocument);
    reply(document ? document->complete(params.position) : CompletionList());
  }
  void rename(const RenameParams &params, Callback<WorkspaceEdit> reply) {
    if (const Document *document = find(params.at.textDocument))
      reply(document->rename(params.at.position, params.newName));
    else
      reply(make_error<LSPError>("the document is not open", ErrorCode::InvalidParams));
  }

  const Document *find(const TextDocumentIdentifier &id) const {
    auto found = documents.find(id.uri.file());
    return found == documents.end() ? nullptr : found->second.get();
  }
  void read(const URIForFile &uri, int64_t version, StringRef text) {
    // An open file is read as it is typed, not as it is on the disk.
    auto reader = [this](StringRef path) -> ErrorOr<std::unique_ptr<MemoryBuffer>> {
      auto open = documents.find(path);
      if (open != documents.end() && open->second)
        return MemoryBuffer::getMemBufferCopy(open->second->getText(), path);
      return MemoryBuffer::getFile(path, /*IsText=*/true);
    };
    auto document = std::make_unique<Document>(uri, text, reader);
    PublishDiagnosticsParams params(uri, version);
    params.diagnostics = document->diagnose();
    publish(params);
    std::swap(documents[uri.file()], document); // the old document is destroyed after the errors are sent
  }

  OutgoingNotification<PublishDiagnosticsParams> publish;
  StringMap<std::unique_ptr<Document>> documents; // by path
};

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == "--help") {
    outs() << help;
    return 0;
  }
  if (argc == 2 && StringRef(argv[1]) == "--version") {
    outs() << "plc-lsp-server " << plc::version() << "\n";
    return 0;
  }
  // For tests: messages separated by lines `// -----`, as in MLIR's own server.
  bool test = argc == 2 && StringRef(argv[1]) == "--lit-test";
  if (argc > 1 && !test) {
    errs() << "plc-lsp-server: error: unknown option '" << argv[1] << "'; see plc-lsp-server --help\n";
    return 2;
  }
  Logger::setLogLevel(Logger::Level::Error);
  sys::ChangeStdinToBinary();
  URIForFile::registerSupportedScheme("test");
  JSONTransport transport(stdin, outs(), test ? JSONStreamStyle::Delimited : JSONStreamStyle::Standard, test);
  MessageHandler messages(transport);
  Server server(messages);
  if (Error error = transport.run(messages)) {
    errs() << "plc-lsp-server: error: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return server.wasShutDown ? 0 : 1;
}
