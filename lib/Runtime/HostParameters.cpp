#include "HostParameters.h"

#include <cstring>

namespace plc::runtime {

static constexpr StaticKind momentKinds[] = {StaticKind::Moment1, StaticKind::Moment2};

HostParameters::HostParameters(const Manifest &manifest) : parameters(manifest.parameters) {
  auto numMoments = static_cast<size_t>(manifest.optimizer.numMoments());
  for (const ParameterInfo &parameter : parameters) {
    values.emplace_back(parameter.tensor().numBytes());
    moments.emplace_back(parameter.frozen ? 0 : numMoments);
  }
}

void HostParameters::read(const Bytes &from, void *out) { std::memcpy(out, from.data(), from.size()); }

void HostParameters::write(Bytes &to, const void *data) {
  std::memcpy(to.data(), data, to.size());
  ++changes;
}

void HostParameters::readMoment(size_t index, int which, void *out) const {
  const Bytes &moment = moments[index][static_cast<size_t>(which - 1)];
  if (moment.empty())
    std::memset(out, 0, values[index].size());
  else
    read(moment, out);
}

void HostParameters::writeMoment(size_t index, int which, const void *data) {
  Bytes &moment = moments[index][static_cast<size_t>(which - 1)];
  moment.resize(values[index].size());
  write(moment, data);
}

void HostParameters::clearMoments(size_t index) {
  for (Bytes &moment : moments[index])
    moment = Bytes();
  ++changes;
}

void HostParameters::scatterTo(const EntryTensors &tensors) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    tensors.scatter(StaticKind::Parameter, parameters[i], values[i]);
    for (size_t which = 0; which < moments[i].size(); ++which)
      if (moments[i][which].empty())
        tensors.clear(momentKinds[which], parameters[i]);
      else
        tensors.scatter(momentKinds[which], parameters[i], moments[i][which]);
  }
  tensors.parametersChanged();
}

void HostParameters::share(MpiWorld &world) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    world.broadcast(0, values[i].data(), values[i].size());
    for (Bytes &moment : moments[i]) {
      auto bytes = static_cast<int64_t>(moment.size());
      world.broadcast(0, &bytes, sizeof(bytes));
      moment.resize(static_cast<size_t>(bytes));
      world.broadcast(0, moment.data(), moment.size());
    }
  }
  ++changes;
}

void HostParameters::gatherFrom(const EntryTensors &tensors) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    tensors.gather(StaticKind::Parameter, parameters[i], values[i]);
    for (size_t which = 0; which < moments[i].size(); ++which)
      tensors.gather(momentKinds[which], parameters[i], moments[i][which]);
  }
  ++changes;
}

} // namespace plc::runtime
