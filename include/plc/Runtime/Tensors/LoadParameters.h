// Weights of a file for the parameters of a model.
#ifndef PLC_RUNTIME_TENSORS_LOADPARAMETERS_H
#define PLC_RUNTIME_TENSORS_LOADPARAMETERS_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Runtime/Tensors/ParameterMap.h"
#include "plc/Runtime/Tensors/Safetensors.h"

#include <map>
#include <optional>

namespace plc::runtime {

/// What a file holds for one parameter.
struct ParameterMatch {
  enum class State { Found, Initial, Missing, Unfit };
  State state = State::Missing;
  std::string source;                  // its name in the file
  std::vector<std::string> stacked;    // behind it
  const ParameterRule *rule = nullptr; // by which it is turned, if it is found
  std::string missing;                 // the name that the file lacks
  std::string found;                   // the type of what does not fit
  std::string place;                   // of the problem in the map; empty: in the file
  std::string problem;                 // "tensor 'w' is missing; the nearest is 'v'"

  std::string note() const { return (place.empty() ? "" : place + ": ") + problem; }
};

struct ParameterMatches {
  std::string file;
  std::vector<ParameterMatch> parameters; // in the model's order
  std::vector<StoredTensor> unused;       // tensors of the file that are of no parameter
  size_t numTied = 0;                     // parameters that share a tensor of the file with one before
  std::vector<const ParameterRule *> idle;
  bool byMap = false;                          // names are those of a map
  std::map<std::string, std::string> metadata; // of the file

  size_t count(ParameterMatch::State state) const;
  /// What is to be told of parameters that are missing or do not fit: a line for each, but one for many that are missing.
  std::vector<std::string> notes(const std::vector<const ParameterMatch *> &problems) const;

private:
  std::string mapHint() const;
};

/// The first names, for a message: `'a', 'b' and 7 more`.
std::string listNames(const std::vector<std::string> &names, size_t shown);

/// Looks for every parameter in a file of weights, by the rules of a map if there is one. Names, types and shapes alone are
/// read. Throws fileError if the file is none.
ParameterMatches matchParameters(const std::string &file, const std::vector<ParameterInfo> &parameters,
                                 const ParameterMap *map);

/// Throws Error, which tells every parameter that has a problem. Those that are missing are none where the file may
/// lack some, unless it lacks all.
void checkMatches(const ParameterMatches &matches, bool mayLack);

/// Writes a file's parameters, and what made them, to the engine, turned and converted to the model's types: all of them, or none if
/// `checkMatches` throws; throws fileError on the way if an element does not fit its type. What a file may lack, and does,
/// keeps its value.
ParameterMatches loadParameters(const std::string &file, Engine &engine, bool mayLack,
                                const ParameterMap *map = nullptr);

} // namespace plc::runtime

#endif
