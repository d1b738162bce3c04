//===- plc-lsp-server.cpp - diagnostics for editors -------------------------===//
#include "Documents.h"

#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace llvm::lsp;

static const char help[] = R"(plc-lsp-server: errors in .ein models and .mlir files, as they are typed
usage: plc-lsp-server        (speaks the Language Server Protocol on standard input and output)
  --help  this text
example, for Neovim: vim.lsp.start({ name = "plc", cmd = { "plc-lsp-server" } })
)";

namespace {

/// The protocol's state: open documents are diagnosed whole at every change.
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
  }

  bool wasShutDown = false;

private:
  void initialize(const InitializeParams &, Callback<json::Value> reply) {
    json::Object capabilities{
        {"textDocumentSync", json::Object{{"openClose", true}, {"change", int(TextDocumentSyncKind::Full)}}}};
    reply(json::Object{{"serverInfo", json::Object{{"name", "plc-lsp-server"}}},
                       {"capabilities", std::move(capabilities)}});
  }
  void shutdown(const NoParams &, Callback<std::nullptr_t> reply) {
    wasShutDown = true;
    reply(nullptr);
  }
  void ignore(const NoParams &) {}
  void didOpen(const DidOpenTextDocumentParams &params) {
    tell(params.textDocument.uri, params.textDocument.version, params.textDocument.text);
  }
  void didChange(const DidChangeTextDocumentParams &params) {
    if (!params.contentChanges.empty()) // whole texts: the last one stands
      tell(params.textDocument.uri, params.textDocument.version, params.contentChanges.back().text);
  }
  void didClose(const DidCloseTextDocumentParams &params) {
    publish(PublishDiagnosticsParams(params.textDocument.uri, 0));
  }
  void tell(const URIForFile &uri, int64_t version, StringRef text) {
    PublishDiagnosticsParams params(uri, version);
    params.diagnostics = diagnose(uri, text);
    publish(params);
  }

  OutgoingNotification<PublishDiagnosticsParams> publish;
};

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == "--help") {
    outs() << help;
    return 0;
  }
  // For tests: messages delimited by lines `// -----`, as MLIR's own server has them.
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
