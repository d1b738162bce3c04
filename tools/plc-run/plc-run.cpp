// plc-run: trains, evaluates, runs and inspects models. It maps no LLVM.
#include "plc/Commands/Commands.h"
#include "plc/Commands/ModelFile.h"
#include "plc/Text/Tokenizer.h"

int main(int argc, char **argv) {
  using namespace plc::runtime;
  Tool tool{"plc-run",
            {"train", "eval", "infer", "generate", "bench", "params", "einsum", "tokenize", "inspect", "simulate"},
            "M.plcm|MODEL.ein|MODEL.pt2",
            "gpt.plcm",
            "runs a compiled model, or compiles one first",
            openModelFile,
            readParameterMap,
            plc::text::readTokenizer,
            inspectModelFile,
            [](const ModelRequest &request) { simulateModelFile(request, plc::simulator::readCluster); },
            archivedWeights};
  return runCommands(argc, argv, tool);
}
