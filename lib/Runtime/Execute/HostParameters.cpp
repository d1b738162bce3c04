// Parameters, moments and averages outside of arenas.
#include "HostParameters.h"

#include <cstring>

namespace plc::runtime {

HostParameters::HostParameters(const Manifest &manifest)
    : parameters(manifest.parameters), values(manifest.parameters.size()), averages(manifest.parameters.size()) {
  auto numMoments = static_cast<size_t>(manifest.optimizer.numMoments());
  for (const ParameterInfo &parameter : parameters)
    // A frozen parameter is never updated.
    moments.emplace_back(parameter.frozen ? 0 : numMoments);
}

void HostParameters::read(size_t index, const Bytes &from, void *out) const {
  // A tensor that was never written is zeros, and takes no memory.
  if (from.empty())
    std::memset(out, 0, parameters[index].tensor().numBytes());
  else
    std::memcpy(out, from.data(), from.size());
}

void HostParameters::write(size_t index, Bytes &to, const void *data) {
  const auto *bytes = static_cast<const std::byte *>(data);
  to.assign(bytes, bytes + parameters[index].tensor().numBytes());
}

void HostParameters::writeValue(size_t index, const void *data) {
  write(index, values[index], data);
  averages[index] = Bytes();
}

void HostParameters::readAverage(size_t index, void *out) const {
  read(index, hasAverage(index) ? averages[index] : values[index], out);
}

void HostParameters::writeMoment(size_t index, int which, const void *data) {
  write(index, moments[index][static_cast<size_t>(which - 1)], data);
}

void HostParameters::clearMoments(size_t index) {
  for (Bytes &moment : moments[index])
    // A new value frees the memory.
    moment = Bytes();
}

template <class Visit>
void HostParameters::forEach(size_t index, Visit visit) {
  visit(BufferKind::Parameter, values[index]);
  for (size_t which = 0; which < moments[index].size(); ++which)
    visit(momentKinds[which], moments[index][which]);
  visit(BufferKind::Average, averages[index]);
}

void HostParameters::scatterTo(const EntryTensors &tensors, BufferKind kind, size_t index) const {
  bool isValue = kind == BufferKind::Parameter || (kind == BufferKind::Average && !hasAverage(index));
  auto which = static_cast<size_t>(kind == BufferKind::Moment2);
  // An entry may have a moment that the optimizer of this parameter lacks: a frozen one has none.
  const Bytes *bytes = isValue                         ? &values[index]
                       : kind == BufferKind::Average   ? &averages[index]
                       : which < moments[index].size() ? &moments[index][which]
                                                       : nullptr;
  if (bytes && !bytes->empty())
    tensors.scatter(kind, parameters[index], bytes->data());
  else
    tensors.clear(kind, parameters[index]);
}

void HostParameters::share(ProcessGroup &world) {
  for (size_t i = 0; i < parameters.size(); ++i)
    forEach(i, [&](BufferKind, Bytes &bytes) {
      // Sizes first: the first process may not have written a tensor at all.
      auto size = static_cast<int64_t>(bytes.size());
      world.broadcast(0, &size, sizeof(size));
      bytes.resize(static_cast<size_t>(size));
      world.broadcast(0, bytes.data(), bytes.size());
    });
}

void HostParameters::gatherFrom(const EntryTensors &tensors) {
  for (size_t i = 0; i < parameters.size(); ++i)
    forEach(i, [&](BufferKind kind, Bytes &bytes) {
      // A tensor that this entry does not hold is valid here already.
      if (!tensors.holds(kind, parameters[i]))
        return;
      bytes.resize(parameters[i].tensor().numBytes());
      tensors.gather(kind, parameters[i], bytes.data());
    });
}

} // namespace plc::runtime
