// The commands, each over any engine. They throw Error.
#ifndef PLC_LIB_COMMANDS_RUNS_H
#define PLC_LIB_COMMANDS_RUNS_H

#include "Options.h"
#include "plc/Runtime/Base/TextCodec.h"

namespace plc::runtime {

void runTrain(const Options &options, Engine &engine);
void runEval(const Options &options, Engine &engine);
void runInfer(const Options &options, Engine &engine);
void runGenerate(const Options &options, Engine &engine);
void runBench(const Options &options, Engine &engine);
void runParams(const Options &options, Engine &engine);

/// Compares the gradient of each parameter, in f64, with differences of the loss: at random points, and where
/// parameters or inputs are 0, 1 or equal. Throws ResultDiffers if one is wrong.
void runCheckGradients(const Options &options, Engine &engine);

/// Opens an engine for the rule that it writes.
void runEinsum(const Options &options, const Tool &tool);

/// Prints or writes the tokens of a text.
void runTokenize(const Options &options, const Tool &tool);

/// Prints name, type, shape and first values.
void printTensor(const TensorInfo &info, const Bytes &data);

/// The means over the held-out batches of entry eval's outputs (of their first elements). `seed` is that of its draws.
std::vector<double> heldOutMeans(const Data &data, uint64_t seed, Engine &engine);

/// Warns of samples that `eval` leaves out, because they do not fill a batch.
void warnOfLeftOut(const Data &data, int64_t batch);

/// Loads --params, or draws the initial values of --seed. With `mayLack`, also draws the values that the file does not
/// have. A second model reads the same file: what one of the two uses is used.
void prepareParameters(const Options &options, Engine &engine, bool mayLack = false, Engine *second = nullptr);

/// Warns of rules of a map that name no parameter: they may be misspelt.
void warnOfIdle(const std::vector<const ParameterRule *> &rules, const ParameterMap *map, const Engine &engine);

/// For commands that only use parameters: warns if they are random, unless the user asked for that.
void warnOfRandomParameters(const Options &options, const Engine &engine);

} // namespace plc::runtime

#endif
