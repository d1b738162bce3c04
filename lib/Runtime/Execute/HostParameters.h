// The process's own copy of parameters and moments, as far as there is one.
#ifndef PLC_LIB_RUNTIME_EXECUTE_HOSTPARAMETERS_H
#define PLC_LIB_RUNTIME_EXECUTE_HOSTPARAMETERS_H

#include "EntryTensors.h"
#include "plc/Runtime/Base/ProcessGroup.h"

namespace plc::runtime {

inline constexpr StaticKind momentKinds[] = {StaticKind::Moment1, StaticKind::Moment2};

/// What is read and written one by one, whichever entry runs. A tensor takes memory from when it is first written; before, it is zero.
class HostParameters {
public:
  explicit HostParameters(const Manifest &manifest);

  void readValue(size_t index, void *out) const { read(index, values[index], out); }
  void readMoment(size_t index, int which, void *out) const { read(index, momentOf(index, which), out); }
  void writeValue(size_t index, const void *data) { write(index, values[index], data); }
  void writeMoment(size_t index, int which, const void *data);
  void clearMoments(size_t index);

  /// The value or a moment of a parameter into every place of the local ranks.
  void scatterTo(const EntryTensors &tensors, StaticKind kind, size_t index) const;
  /// The first process's are everybody's afterwards. Collective.
  void share(ProcessGroup &world);
  /// Those that the entry holds, from the ranks that own them. Collective, unless all are local.
  void gatherFrom(const EntryTensors &tensors);

private:
  const Bytes &momentOf(size_t index, int which) const { return moments[index][static_cast<size_t>(which - 1)]; }
  void read(size_t index, const Bytes &from, void *out) const;
  void write(size_t index, Bytes &to, const void *data);
  /// Calls visit(kind, its bytes) for the value of a parameter and each of its moments.
  template <class Visit>
  void forEach(size_t index, Visit visit);

  const std::vector<ParameterInfo> &parameters;
  std::vector<Bytes> values;               // by parameter
  std::vector<std::vector<Bytes>> moments; // by parameter, none if it is frozen
};

} // namespace plc::runtime

#endif
