// The process's own copy of all parameters and moments.
#ifndef PLC_RUNTIME_HOSTPARAMETERS_H
#define PLC_RUNTIME_HOSTPARAMETERS_H

#include "EntryTensors.h"
#include "MpiWorld.h"

namespace plc::runtime {

/// What is read and written one by one, whichever entry runs. Every process has the whole.
class HostParameters {
public:
  explicit HostParameters(const Manifest &manifest);

  void readValue(size_t index, void *out) const { read(values[index], out); }
  void readMoment(size_t index, int which, void *out) const;
  void writeValue(size_t index, const void *data) { write(values[index], data); }
  void writeMoment(size_t index, int which, const void *data);
  void clearMoments(size_t index);

  /// Grows with each change, so that a session can tell whether it holds the present parameters. At least 1.
  uint64_t version() const { return changes; }

  /// Into every place of the local ranks, which prepare anew what depends on them.
  void scatterTo(const EntryTensors &tensors) const;
  /// The first process's are everybody's afterwards. Collective.
  void share(MpiWorld &world);
  /// Those that the entry trains, from the ranks that own them. Collective.
  void gatherFrom(const EntryTensors &tensors);

private:
  static void read(const Bytes &from, void *out);
  void write(Bytes &to, const void *data);

  const std::vector<ParameterInfo> &parameters;
  std::vector<Bytes> values;               // by parameter
  std::vector<std::vector<Bytes>> moments; // by parameter, none if it is frozen; empty while zero: inference needs none
  uint64_t changes = 1;
};

} // namespace plc::runtime

#endif
