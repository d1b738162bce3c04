//===- ReadModel.cpp - prints the graph of a model's file -----------------===//
//
// read-model FILE [--values]: the graph, with --values also the numbers of parameters, buffers and constants. A file
// that is refused: FILE: error: TEXT, exit code 1.
//
//===----------------------------------------------------------------------===//
#include "plc/Import/PrintGraph.h"
#include "plc/Import/ReadPt2.h"
#include "plc/Support/ExitCodes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace plc;
using namespace plc::import;

static void printValues(const ImportedModel &model, const Input &input) {
  std::vector<std::byte> bytes = model.weights->read(input);
  llvm::outs() << input.path << " =";
  visit(model.graph.types.at(input.value).type, [&](auto traits) {
    typename decltype(traits)::Value value;
    for (size_t at = 0; at < bytes.size(); at += sizeof(value)) {
      std::memcpy(&value, bytes.data() + at, sizeof(value));
      llvm::outs() << llvm::format(" %g", static_cast<double>(value));
    }
  });
  llvm::outs() << "\n";
}

int main(int count, char **words) {
  std::string error;
  bool wantsValues = count > 2 && llvm::StringRef(words[2]) == "--values";
  try {
    std::optional<ImportedModel> model = readPt2(llvm::StringRef(words[1]), error);
    if (model) {
      printGraph(*model, llvm::outs());
      for (const Input &input : model->graph.inputs)
        if (wantsValues && input.kind != Input::Kind::User)
          printValues(*model, input);
      return Done;
    }
  } catch (const std::runtime_error &refused) { // of Weights::read
    error = refused.what();
  }
  llvm::errs() << words[1] << ": error: " << error << "\n";
  return BadInput;
}
