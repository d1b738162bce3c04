// The process's own copy of parameters, moments and averages.
#ifndef PLC_LIB_RUNTIME_EXECUTE_HOSTPARAMETERS_H
#define PLC_LIB_RUNTIME_EXECUTE_HOSTPARAMETERS_H

#include "EntryTensors.h"
#include "plc/Module/ParameterGroups.h"
#include "plc/Runtime/Base/ProcessGroup.h"

namespace plc::runtime {

/// Parameters, moments and averages that are read and written one by one, whichever entry runs. A tensor takes memory
/// from its first write on; before, a value reads as zeros, a moment as its state begins, an average as the parameter's
/// value. A process that keeps parameters in arenas never writes here, so it has one copy of them.
class HostParameters {
public:
  explicit HostParameters(const Manifest &manifest);

  /// Whole tensors, by the index of the parameter; `which` counts moments from 1.
  void readValue(size_t index, void *out) const { read(index, {}, out); }
  void readMoment(size_t index, int which, void *out) const { read(index, ParameterTensor::moment(which), out); }
  /// Drops the average: it is this value.
  void writeValue(size_t index, const void *data);
  void writeMoment(size_t index, int which, const void *data);
  /// Lets them begin anew, and frees their memory.
  void clearMoments(size_t index);
  bool hasAverage(size_t index) const { return !averages[index].empty(); }
  void readAverage(size_t index, void *out) const { read(index, ParameterTensor::average(), out); }
  void writeAverage(size_t index, const void *data) { write(index, ParameterTensor::average(), averages[index], data); }

  /// The elements of a tensor before its first write.
  double initOf(size_t index, ParameterTensor tensor) const {
    return tensor.kind == BufferKind::Moment ? states[index][static_cast<size_t>(tensor.site)].init : 0;
  }
  /// Its type and shape.
  TensorInfo infoOf(size_t index, ParameterTensor tensor) const {
    return tensor.kind == BufferKind::Moment
               ? module::momentOf(parameters[index], states[index][static_cast<size_t>(tensor.site)])
               : parameters[index].tensor();
  }
  int numMoments(size_t index) const { return static_cast<int>(states[index].size()); }
  /// Writes a tensor to every buffer of the local ranks.
  void scatterTo(const EntryTensors &tensors, ParameterTensor tensor, size_t index, ParameterTensor from) const;
  /// Afterwards every process has the tensors of the first. Collective.
  void share(ProcessGroup &world);
  /// Takes the tensors that the entry holds from the ranks that own them. Collective, unless all are local.
  void gatherFrom(const EntryTensors &tensors);

private:
  /// Its bytes; null or empty if it was never written. An average that was not is the value.
  const Bytes *find(size_t index, ParameterTensor tensor) const;
  void read(size_t index, ParameterTensor tensor, void *out) const;
  void write(size_t index, ParameterTensor tensor, Bytes &to, const void *data);
  /// Calls visit(tensor, its bytes) for the value of a parameter, each of its moments and its average.
  template <class Visit>
  void forEach(size_t index, Visit visit);

  const std::vector<ParameterInfo> &parameters;
  const module::StatesOfParameters states;
  std::vector<Bytes> values;               // by parameter
  std::vector<std::vector<Bytes>> moments; // by parameter, none if it is frozen
  std::vector<Bytes> averages;             // by parameter
};

} // namespace plc::runtime

#endif
