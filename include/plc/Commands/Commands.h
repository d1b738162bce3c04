// The commands of plc-run and plc-interpret: options, data, log, checkpoints and progress, once over an Engine.
#ifndef PLC_COMMANDS_COMMANDS_H
#define PLC_COMMANDS_COMMANDS_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Runtime/Base/TextCodec.h"
#include "plc/Runtime/Tensors/ParameterMap.h"

#include <functional>
#include <memory>
#include <optional>

namespace plc::runtime {

/// What the command line says about the model; whoever opens it refuses by name (usageError) what it cannot use.
struct ModelRequest {
  std::string toolPath;               // argv[0]
  std::vector<std::string> arguments; // all others
  std::string command;                // train, eval, infer, check-gradients and so on: OptionTable.cpp has all
  std::string file;                   // M.plcm, MODEL.ein, IR.mlir
  std::string entry;                  // --entry, or empty
  std::string strategy;               // --strategy, or empty
  std::vector<std::string> defines;   // -D NAME=SIZE
  std::vector<std::string> sets;      // --set KEY=VALUE
  std::vector<std::string> outputs;   // of infer, if a gradient or the value of a rule is among them: what to compile
  bool checkArena = false;            // --check-arena
  bool checkLive = false;             // --check-live
  bool checkFinite = false;           // --check-finite
  std::string trace;                  // --trace, or empty
  std::string cluster;                // --cluster, or empty
  bool timesTasks = false;            // of bench
  bool sharesKernels = true;          // unless --no-sharing
  std::optional<double> hangTimeout;  // --hang-timeout, in seconds
  bool runs = false;                  // the command executes entries: processes may share it
  int64_t ranks = 0;                  // --ranks: processes; 0: as the transport wants
  std::string mpi, hostfile;          // --mpi, --hostfile, or empty
};

/// Opens the model, or throws Error. If it has printed its own diagnostics, it throws an Error with an empty text.
using EngineFactory = std::function<std::unique_ptr<Engine>(const ModelRequest &)>;

struct Tool {
  std::string name;                  // "plc-run"
  std::vector<std::string> commands; // of those of OptionTable.cpp
  std::string modelArgument;         // "M.plcm|MODEL.ein"
  std::string exampleModel;          // "gpt.plcm"
  std::string summary;               // one line for --help
  EngineFactory open;
  ParameterMapReader readMap = nullptr;                        // for --map
  TextCodecReader readTokenizer = nullptr;                     // for --tokenizer
  std::function<void(const ModelRequest &)> inspect, simulate; // print, or throw Error; of a tool with that command
};

/// The whole of main: parses, runs, prints errors. Returns the exit code.
int runCommands(int argc, char **argv, const Tool &tool);

} // namespace plc::runtime

#endif
