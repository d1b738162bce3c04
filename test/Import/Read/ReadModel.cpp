//===- ReadModel.cpp - prints the graph of a model's file -----------------===//
//
// read-model FILE [--values] [--params-argument=NAME]: the graph, with --values also the numbers of parameters, buffers
// and constants. A file that is refused: FILE: error: TEXT, exit code 1.
//
//===----------------------------------------------------------------------===//
#include "plc/Import/PrintGraph.h"
#include "plc/Import/ReadPt2.h"
#include "plc/Import/ReadStableHlo.h"
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

static std::optional<ImportedModel> readModel(llvm::StringRef path, llvm::StringRef parameters, std::string &error) {
  if (!path.ends_with(".mlir"))
    return readPt2(path, error);
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? readStableHlo((*file)->getBuffer(), parameters, error) : std::nullopt;
}

int main(int count, char **words) {
  std::string error;
  llvm::StringRef parameters;
  bool wantsValues = false;
  for (int i = 2; i < count; ++i)
    if (llvm::StringRef word = words[i]; word.consume_front("--params-argument="))
      parameters = word;
    else
      wantsValues = true;
  try {
    std::optional<ImportedModel> model = readModel(words[1], parameters, error);
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
