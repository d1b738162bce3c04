// Parameters, moments and averages outside of arenas.
#include "HostParameters.h"

#include <cstring>

namespace plc::runtime {

HostParameters::HostParameters(const Manifest &manifest)
    : parameters(manifest.parameters), states(module::statesOf(manifest.optimizer, manifest.parameters)),
      values(manifest.parameters.size()), averages(manifest.parameters.size()) {
  for (const auto &ofParameter : states)
    moments.emplace_back(ofParameter.size());
}

const Bytes *HostParameters::find(size_t index, ParameterTensor tensor) const {
  if (tensor.kind == BufferKind::Average && hasAverage(index))
    return &averages[index];
  if (tensor.kind != BufferKind::Moment)
    return &values[index];
  return &moments[index][static_cast<size_t>(tensor.site)];
}

void HostParameters::read(size_t index, ParameterTensor tensor, void *out) const {
  // A tensor that was never written takes no memory.
  const TensorInfo info = infoOf(index, tensor);
  if (const Bytes *from = find(index, tensor); from && !from->empty())
    std::memcpy(out, from->data(), from->size());
  else
    fillElements(info.type, info.numElements(), out, initOf(index, tensor));
}

void HostParameters::write(size_t index, ParameterTensor tensor, Bytes &to, const void *data) {
  const auto *bytes = static_cast<const std::byte *>(data);
  to.assign(bytes, bytes + infoOf(index, tensor).numBytes());
}

void HostParameters::writeValue(size_t index, const void *data) {
  write(index, {}, values[index], data);
  averages[index] = Bytes();
}

void HostParameters::writeMoment(size_t index, int which, const void *data) {
  write(index, ParameterTensor::moment(which), moments[index][static_cast<size_t>(which - 1)], data);
}

void HostParameters::clearMoments(size_t index) {
  for (Bytes &moment : moments[index])
    // A new value frees the memory.
    moment = Bytes();
}

template <class Visit>
void HostParameters::forEach(size_t index, Visit visit) {
  visit(ParameterTensor(), values[index]);
  for (size_t moment = 0; moment < moments[index].size(); ++moment)
    visit(ParameterTensor::moment(static_cast<int>(moment) + 1), moments[index][moment]);
  visit(ParameterTensor::average(), averages[index]);
}

void HostParameters::scatterTo(const EntryTensors &tensors, ParameterTensor tensor, size_t index,
                               ParameterTensor from) const {
  if (const Bytes *bytes = find(index, from); bytes && !bytes->empty())
    tensors.scatter(tensor, parameters[index], bytes->data());
  else
    tensors.fill(tensor, parameters[index], initOf(index, tensor));
}

void HostParameters::share(ProcessGroup &world) {
  for (size_t i = 0; i < parameters.size(); ++i)
    forEach(i, [&](ParameterTensor, Bytes &bytes) {
      // Sizes first: the first process may not have written a tensor at all.
      auto size = static_cast<int64_t>(bytes.size());
      world.broadcast(0, &size, sizeof(size));
      bytes.resize(static_cast<size_t>(size));
      world.broadcast(0, bytes.data(), bytes.size());
    });
}

void HostParameters::gatherFrom(const EntryTensors &tensors) {
  for (size_t i = 0; i < parameters.size(); ++i)
    forEach(i, [&](ParameterTensor tensor, Bytes &bytes) {
      // A tensor that this entry does not hold is valid here already.
      if (!tensors.holds(tensor, parameters[i]))
        return;
      bytes.resize(infoOf(i, tensor).numBytes());
      tensors.gather(tensor, parameters[i], bytes.data());
    });
}

} // namespace plc::runtime
