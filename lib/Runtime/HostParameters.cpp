#include "HostParameters.h"

#include <cstring>

namespace plc::runtime {

static constexpr StaticKind momentKinds[] = {StaticKind::Moment1, StaticKind::Moment2};

HostParameters::HostParameters(const Manifest &manifest) : parameters(manifest.parameters) {
  auto numMoments = static_cast<size_t>(manifest.optimizer.numMoments());
  for (const ParameterInfo &parameter : parameters) {
    size_t bytes = parameter.tensor().numBytes();
    values.emplace_back(bytes);
    moments.emplace_back(numMoments, Bytes(parameter.frozen ? 0 : bytes));
  }
}

void HostParameters::read(const Bytes &from, void *out) { std::memcpy(out, from.data(), from.size()); }

void HostParameters::write(Bytes &to, const void *data) {
  std::memcpy(to.data(), data, to.size());
  ++changes;
}

void HostParameters::scatterTo(const EntryTensors &tensors) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    tensors.scatter(StaticKind::Parameter, parameters[i].path, values[i]);
    for (size_t which = 0; which < moments[i].size(); ++which)
      tensors.scatter(momentKinds[which], parameters[i].path, moments[i][which]);
  }
}

void HostParameters::gatherFrom(const EntryTensors &tensors) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    tensors.gather(StaticKind::Parameter, parameters[i].path, values[i]);
    for (size_t which = 0; which < moments[i].size() && !parameters[i].frozen; ++which)
      tensors.gather(momentKinds[which], parameters[i].path, moments[i][which]);
  }
  ++changes;
}

} // namespace plc::runtime
