# run: plc-lsp-server --stido
# exit: 2
# expect: plc-lsp-server: error: unknown option '--stido'; see plc-lsp-server --help
