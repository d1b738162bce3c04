// The commands, each over any engine. They throw Error.
#ifndef PLC_LIB_COMMANDS_RUNS_H
#define PLC_LIB_COMMANDS_RUNS_H

#include "Options.h"
#include "Sampling.h"
#include "plc/Runtime/Base/TextCodec.h"

namespace plc::runtime {

void runTrain(const Options &options, Engine &engine);
void runEval(const Options &options, Engine &engine);
void runInfer(const Options &options, Engine &engine);
void runGenerate(const Options &options, Engine &engine);
void runBench(const Options &options, Engine &engine);
void runParams(const Options &options, Engine &engine);

/// Compares the gradient of each parameter, in f64, with differences of the loss: at random points, and where parameters
/// or inputs are 0, 1, or equal to one another. Throws ResultDiffers if one is wrong.
void runCheckGradients(const Options &options, Engine &engine);

/// Without an engine of the user's: it opens one for the rule.
void runEinsum(const Options &options, const Tool &tool);

/// Writes the tokens of a text.
void runTokenize(const Options &options, const Tool &tool);

/// What `--input` gives of the entry's inputs. An input that only other entries need may be given too.
std::vector<std::optional<Bytes>> givenInputs(const Options &options, const EntryInfo &entry, const Engine &engine);

/// Name, type, shape and first values, to stdout.
void tellTensor(const TensorInfo &info, const Bytes &data);

/// The means over the held-out batches of the entry eval's outputs (of their first elements); and that of `loss`. The seed is
/// that of what it draws.
std::vector<double> heldOutMeans(const Data &data, uint64_t seed, Engine &engine);
double heldOutLoss(const Data &data, uint64_t seed, Engine &engine);

/// --params, or the initial values of --seed; these too for what a file lacks, if it may lack some.
void prepareParameters(const Options &options, Engine &engine, bool mayLack = false);

/// Of the commands that only use them: says so if parameters are drawn, unless they are meant to be.
void warnOfRandomParameters(const Options &options, const Engine &engine);

} // namespace plc::runtime

#endif
