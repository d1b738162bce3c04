// What a rank reports when a kernel fails, or when a value is not finite.
#include "Rank.h"

#include "plc/Runtime/Base/NonFinite.h"
#include "plc/Runtime/Base/FlightRecorder.h"

#include <algorithm>
#include <cmath>

namespace plc::runtime {

/// Throws the error of a kernel that found an index out of range, at the line that gathers.
void Rank::fail(const KernelInfo &kernel) const {
  const KernelJob::GatherError &fault = *shared.workers.job(local).fault();
  const std::vector<std::string> *where = &kernel.where;
  std::string text = "kernel failed";
  // A gather that the manifest does not list still fails, without an index.
  if (fault.gather >= 0 && fault.gather < static_cast<int64_t>(kernel.gathers.size())) {
    const GatherInfo &gather = kernel.gathers[static_cast<size_t>(fault.gather)];
    where = &gather.where;
    text = "index " + std::to_string(fault.value) + " at position " + std::to_string(fault.position) +
           " is outside 0.." + std::to_string(gather.extent - 1);
  }
  throw Error(BadInput, *where, text)
      .note(describeCall(plan, index, *current.load(), currentMicroBatch, kernel) + iterationText());
}

/// The iterations that run now, for the note of an error.
std::string Rank::iterationText() const {
  std::string text;
  for (int64_t iteration : iterations)
    text += (text.empty() ? ", iteration " : " / ") + std::to_string(iteration);
  return text;
}

/// Whether an address lies in an input's buffer.
bool Rank::isOfInput(const void *address) const {
  return std::ranges::any_of(plan.buffers, [&](const BufferInfo &buffer) {
    const std::byte *begin = at(buffer);
    return buffer.kind == BufferKind::Input && address >= begin && address < begin + buffer.bytes;
  });
}

/// The origin of infinities among a call's inputs. Those of parameters do not count: no rule speaks of them, so they
/// are an error. Those of an input may be a mask, so they count apart.
Rank::Infinity Rank::infinityRead(const CallInfo &call, const KernelInfo &kernel) const {
  Infinity found = Infinity::None;
  for (const module::RealOperand &input : kernel.inputs) {
    int64_t operand = call.operands[static_cast<size_t>(input.operand)];
    if (operand < 0 && plan.buffers[static_cast<size_t>(-1 - operand)].kind != BufferKind::Precomputed)
      continue;
    const void *elements = operands[static_cast<size_t>(input.operand)];
    for (int64_t i = 0; i < input.elements; ++i)
      if (std::isinf(elementAsDouble(input.type, elements, i))) {
        found = std::max(found, isOfInput(elements) ? Infinity::OfInput : Infinity::OfKernel);
        break;
      }
  }
  return found;
}

/// Throws at, or records, a value of the kernel's results that is NaN or an unexpected infinity.
void Rank::checkFinite(const KernelInfo &kernel, void *const *operands) {
  std::optional<Error> error = findFault(kernel, operands, [&](double value) {
    return std::isnan(value) || (std::isinf(value) && infinity == Infinity::None);
  });
  if (error && finiteChecks == FiniteChecks::Stop)
    throw *error;
  // A record also keeps an infinity that came from an input, in case nothing else is found.
  const bool isGiven = !error;
  if (!error && finiteChecks == FiniteChecks::Record && infinity == Infinity::OfInput)
    error = findFault(kernel, operands, [](double value) { return std::isinf(value); });
  if (!error)
    return;
  NonFiniteValue found{isGiven, currentMicroBatch, Trace::now(), std::move(*error)};
  if (!recorded || found.isBefore(*recorded))
    recorded = std::move(found);
}

/// An error for the first element of a kernel's results for which isFault holds; nullopt if there is none.
template <class IsFault>
std::optional<Error> Rank::findFault(const KernelInfo &kernel, void *const *operands, IsFault isFault) const {
  for (const module::RealOperand &result : kernel.results)
    for (int64_t i = 0; i < result.elements; ++i)
      if (double value = elementAsDouble(result.type, operands[static_cast<size_t>(result.operand)], i); isFault(value))
        return Error(BadInput, kernel.where,
                     "found " + nameOfNonFinite(value) + " at element " + std::to_string(i) + " of operand #" +
                         std::to_string(result.operand) + ", expected a finite value")
            .note(describeCall(plan, index, *current.load(), currentMicroBatch, kernel) + iterationText());
  return std::nullopt;
}

} // namespace plc::runtime
