#include "plc/Runtime/Engine.h"

namespace plc::runtime {

const EntryInfo *Engine::findEntry(std::string_view name) const {
  for (const EntryInfo &entry : entries())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

int64_t parameterBytes(const std::vector<ParameterInfo> &parameters, const OptimizerSettings &optimizer) {
  int64_t bytes = 0;
  for (const ParameterInfo &parameter : parameters)
    bytes += static_cast<int64_t>(parameter.tensor().numBytes()) * (parameter.frozen ? 1 : 1 + optimizer.numMoments());
  return bytes;
}

namespace {
template <class T>
void add(int64_t count, void *sum, const void *term) {
  auto *to = static_cast<T *>(sum);
  auto *from = static_cast<const T *>(term);
  for (int64_t i = 0; i < count; ++i)
    to[i] += from[i];
}
} // namespace

void addInOrder(ElementType type, int64_t count, void *sum, const void *term) {
  switch (type) {
  case ElementType::F64: return add<double>(count, sum, term);
  case ElementType::F32: return add<float>(count, sum, term);
  case ElementType::I64: // Unsigned: integers wrap.
    return add<uint64_t>(count, sum, term);
  case ElementType::I32: return add<uint32_t>(count, sum, term);
  case ElementType::Bool: // nothing that is true or false is a sum over the batch
    return;
  }
}

double sumInOrder(ElementType type, const std::vector<double> &values) {
  if (values.empty())
    return 0;
  double sum = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    sum = type == ElementType::F32 ? static_cast<double>(static_cast<float>(sum) + static_cast<float>(values[i]))
                                   : sum + values[i];
  return sum;
}

} // namespace plc::runtime
