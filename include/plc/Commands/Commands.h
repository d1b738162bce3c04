// The commands of plc-run and plc-interpret, over any Engine.
#ifndef PLC_COMMANDS_COMMANDS_H
#define PLC_COMMANDS_COMMANDS_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Runtime/Base/TextCodec.h"
#include "plc/Runtime/Tensors/ParameterMap.h"

#include <functional>
#include <memory>
#include <optional>

namespace plc::runtime {

/// What the command line says about the model. The function that opens it refuses by name (usageError) what it cannot
/// use.
struct ModelRequest {
  std::string toolPath;               // argv[0]
  std::vector<std::string> arguments; // all others
  std::string command;                // train, eval, infer, check-gradients and so on: OptionTable.cpp has all
  std::string file;                   // M.plcm, MODEL.ein, IR.mlir
  std::string entry;                  // --entry, or empty
  std::string batch;                  // --batch INPUT=AXIS, or empty
  std::string strategy;               // --strategy, or empty
  std::vector<std::string> defines;   // -D NAME=SIZE
  std::string config;                 // --config, or empty: its sizes come first in `defines`
  std::vector<std::string> sets;      // --set KEY=VALUE
  std::vector<std::string> outputs;   // of infer, if a gradient or a rule's value is among them: to be compiled
  bool checkArena = false;            // --check-arena
  bool checkLive = false;             // --check-live
  bool checkFinite = false;           // --check-finite
  std::string trace;                  // --trace, or empty
  std::string cluster;                // --cluster, or empty
  bool timesTasks = false;            // of bench
  bool sharesKernels = true;          // unless --no-sharing
  std::optional<double> hangTimeout;  // --hang-timeout, in seconds
  bool runs = false;                  // the command executes entries, so processes may share it
  bool trains = false;                // the command takes steps of the optimizer
  int64_t ranks = 0;                  // --ranks: number of processes; 0: as the transport wants
  std::string mpi, hostfile;          // --mpi, --hostfile, or empty
};

/// Opens the model. Throws Error; with an empty text if it has printed its own diagnostics.
using EngineFactory = std::function<std::unique_ptr<Engine>(const ModelRequest &)>;

/// A program: its name, its commands, and how it opens models.
struct Tool {
  std::string name;                  // "plc-run"
  std::vector<std::string> commands; // a subset of OptionTable.cpp
  std::string modelArgument;         // "M.plcm|MODEL.ein"
  std::string exampleModel;          // "gpt.plcm"
  std::string summary;               // one line for --help
  EngineFactory open;
  ParameterMapReader readMap = nullptr;                        // for --map
  TextCodecReader readTokenizer = nullptr;                     // for --tokenizer
  std::function<void(const ModelRequest &)> inspect, simulate; // print, or throw Error; if the tool has that command
  std::function<std::string(const ModelRequest &)> ownWeights =
      nullptr; // the file of those in a model's file, or empty
};

/// The whole of main: parses, runs and prints errors. Returns the exit code.
int runCommands(int argc, char **argv, const Tool &tool);

} // namespace plc::runtime

#endif
