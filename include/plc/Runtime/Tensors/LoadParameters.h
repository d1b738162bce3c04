// Finds and loads the weights of a file for the parameters of a model.
#ifndef PLC_RUNTIME_TENSORS_LOADPARAMETERS_H
#define PLC_RUNTIME_TENSORS_LOADPARAMETERS_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Runtime/Tensors/ParameterMap.h"
#include "plc/Runtime/Tensors/Safetensors.h"

#include <map>
#include <optional>

namespace plc::runtime {

/// The tensor of a file for one parameter, or the reason why there is none.
struct ParameterMatch {
  enum class State { Found, Initial, Missing, Unfit };
  State state = State::Missing;
  std::string source;                  // its name in the file
  std::vector<std::string> stacked;    // further tensors, stacked behind it
  const ParameterRule *rule = nullptr; // which transforms it, if it is Found
  std::string missing;                 // the name that the file does not have
  std::string found;                   // the type of a tensor that does not fit
  std::string location;                // of the problem in the map; empty: in the file
  std::string problem;                 // "tensor 'w' is missing; the nearest is 'v'"

  std::string note() const { return (location.empty() ? "" : location + ": ") + problem; }
};

/// The matches of all parameters of a model.
struct ParameterMatches {
  std::string file;
  std::vector<ParameterMatch> parameters;      // in the model's order
  std::vector<StoredTensor> unused;            // tensors of the file for no parameter
  size_t numTied = 0;                          // parameters that share a tensor with an earlier one
  std::vector<const ParameterRule *> idle;     // rules of the map that match no parameter
  bool byMap = false;                          // names are those of a map
  std::map<std::string, std::string> metadata; // of the file

  size_t count(ParameterMatch::State state) const;
  /// Notes of an error about missing or unfit parameters: a line for each, but one for many that are missing.
  std::vector<std::string> notes(const std::vector<const ParameterMatch *> &problems) const;

private:
  std::string mapHint() const;
};

/// The first `shown` names, for a message: `'a', 'b' and 7 more`.
std::string listNames(const std::vector<std::string> &names, size_t shown);

/// Finds a tensor for every parameter in a file of weights, by the rules of a map if there is one. Reads names, types
/// and shapes alone. Throws fileError if the file is none.
ParameterMatches matchParameters(const std::string &file, const std::vector<ParameterInfo> &parameters,
                                 const ParameterMap *map);

/// Throws an Error that lists every parameter with a problem. With `mayLack`, missing ones are no problem unless all
/// are missing.
void checkMatches(const ParameterMatches &matches, bool mayLack);

/// Writes the file's parameters and their origin to the engine, transformed and converted to the model's types. Writes
/// none if `checkMatches` throws. An element that does not fit its type throws fileError on the way. With `mayLack`,
/// parameters that the file lacks keep their values.
ParameterMatches loadParameters(const std::string &file, Engine &engine, bool mayLack,
                                const ParameterMap *map = nullptr);

} // namespace plc::runtime

#endif
