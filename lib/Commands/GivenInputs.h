// Tensors that `--input` gives: files, or numbers on the command line.
#ifndef PLC_LIB_COMMANDS_GIVENINPUTS_H
#define PLC_LIB_COMMANDS_GIVENINPUTS_H

#include "Options.h"

namespace plc::runtime {

/// Reads a tensor that must have the shape of `wanted`, and its type or one that converts to it. `what` is its kind in
/// messages. Throws usageError or fileError.
Tensor readTensorLike(const TensorOption &option, const TensorInfo &wanted, const char *what);

/// The entry's inputs that `--input` gives; nullopt for the others. An input of another entry is allowed, and ignored.
std::vector<std::optional<Bytes>> givenInputs(const Options &options, const EntryInfo &entry, const Engine &engine);

/// The rows of an input with a batch that `--input` gives: a file has any number of them, numbers are one.
Tensor readRowsLike(const TensorOption &option, const TensorInfo &wanted);

/// Throws usageError if several processes would read stdin: each reads its inputs itself, and only one has it.
void checkInputFiles(const Options &options, const Engine &engine);

/// The index of a tensor; throws usageError with the names there are.
size_t indexOf(const std::vector<TensorInfo> &tensors, const std::string &name, const char *what);

/// The tensor of that name, or nullptr.
const TensorInfo *find(const std::vector<TensorInfo> &tensors, const std::string &name);

} // namespace plc::runtime

#endif
