//===- FrontendTarget.cpp - any bytes, from text to IR --------------------===//
//
// What must hold of any bytes: the front end ends, and gives either errors or a module that the verifier accepts. Large
// numbers are left out, because a program of 2^18 equations takes its time by right; test/Language/limits.test has
// those.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "plc/Language/Files/ParseModel.h"
#include "plc/Support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

using llvm::StringRef;

/// What a context has seen it keeps, so each serves some runs only.
static mlir::MLIRContext &freshContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % 4096 == 0)
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  return *context;
}

static bool hasLargeNumber(StringRef text) {
  size_t digits = 0;
  for (char c : text) {
    digits = llvm::isDigit(c) ? digits + 1 : 0;
    if (digits > 2)
      return true;
  }
  return false;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  if (hasLargeNumber(text))
    return -1; // not worth keeping
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "fuzzed.ein", false), llvm::SMLoc());
  plc::Diagnostics diagnostics(sources);
  plc::language::ParseOptions options;
  options.readFile = [](StringRef) { return std::make_error_code(std::errc::no_such_file_or_directory); };

  mlir::OwningOpRef<mlir::ModuleOp> module = plc::language::parseModel(sources, freshContext(), options, diagnostics);
  require(diagnostics.empty() == static_cast<bool>(module), "neither errors nor a module, or both");
  require(!module || mlir::succeeded(mlir::verify(*module)), "the module is not valid");
  diagnostics.print(llvm::nulls());
  return 0;
}
