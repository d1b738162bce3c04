//===- Compile.h - what plc-compile does ------------------------*- C++ -*-===//
#ifndef PLC_DRIVER_COMPILE_H
#define PLC_DRIVER_COMPILE_H

#include "plc/Driver/Phases.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plc::driver {

/// The rates of plans, if the strategy names no file of rates: this machine's, measured at its first compilation, or
/// those that are shipped.
enum class RatesSource { measured, shipped };

/// Values of `--emit` besides the names of phases.
enum class Emit { ein, llvm, object, module, csv, dot, json, einSource };

/// The options of plc-compile.
struct CompileOptions {
  std::string model;          // the .ein file, IR, or an archive of PyTorch (.pt2)
  std::string output;         // -o; empty: stdout (IR) or none (plan)
  std::string emit;           // --emit; empty: module with -o, else the plan is printed
  std::string entry;          // --entry: name of the model in the file
  std::string params;         // --params: where the weights of an imported model are written
  std::string mapOut;         // --map-out: where its names are written
  std::string loss;           // --loss: the loss of an imported model
  std::string paramsArgument; // --params-argument: of StableHLO
  std::string batch;          // --batch INPUT=AXIS: the samples of an imported model
  std::string also;           // --also: an imported model at other sizes, with which it is compared
  Program program;            // --program, --output: what --emit, the plan and --print-pipeline show
  bool programGiven = false;
  bool showsUpdate = false; // --program update: --emit shows the rules of the optimizer
  std::string strategy;     // --strategy
  std::vector<std::string> sets;
  std::vector<std::pair<std::string, int64_t>> overrides;
  size_t errorLimit = 20; // --error-limit; 0: none
  bool explainStrategy = false;
  bool printPipeline = false;
  bool recommend = false;                    // --recommend: write the strategy that the joint plan chooses
  bool explains = false;                     // --explain: print why the plan is as it is
  bool listsBudgets = false;                 // --plan-remat-curve: print what each byte less costs
  bool calibrate = false;                    // --calibrate: measure rates instead of compiling
  RatesSource rates = RatesSource::measured; // --rates
};

/// Compiles. Returns the exit code: 0, 1 (model), 2 (usage or strategy), 3 (no plan), 70 (internal). Errors are on
/// stderr.
int compile(const CompileOptions &options);

/// Measures the rates of this machine in about five seconds: `plc-run` beside this program runs a model and profiles
/// it. `sets` are further keys of the strategy (`machine.isa=avx2`). Writes TOML for `machine.rates` to `output`.
/// Returns the exit code.
int calibrate(llvm::ArrayRef<std::string> sets, const std::string &output);

/// All values of `--emit`, in order.
const std::vector<std::string> &emitNames();

} // namespace plc::driver

template <>
struct plc::Choice<plc::driver::RatesSource> {
  static constexpr const char *noun = "source of rates";
  static constexpr NamedRow table[] = {{"measured"}, {"shipped"}};
  static std::span<const NamedRow> rows() { return table; }
};

template <>
struct plc::Choice<plc::driver::Emit> {
  static constexpr const char *noun = "phase";
  static constexpr NamedRow table[] = {{"ein"}, {"llvm"}, {"object"}, {"module"},
                                       {"csv"}, {"dot"},  {"json"},   {"ein-source"}};
  static std::span<const NamedRow> rows() { return table; }
};

#endif
