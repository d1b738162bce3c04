// Reads the tensors of inputs without a batch.
#include "WholeTensors.h"

#include "plc/Runtime/Tensors/ConvertTensor.h"
#include "plc/Runtime/Tensors/TensorFile.h"

namespace plc::runtime {

WholeTensors::WholeTensors(const EntryInfo &entry, const std::vector<DataOption> &options) : Data(entry.batch) {
  for (const TensorInfo &input : entry.inputs) {
    const DataOption &option = findOption(input, options);
    if (!option.blend.empty())
      throw usageError("input '" + input.name + "' (" + input.typeText() +
                       ") has no batch, so its files cannot be blended; give one");
    if (!isTensorFile(option.file))
      throw usageError("input '" + input.name + "' (" + input.typeText() +
                       ") has no batch, so it has no windows of bytes; give it as one .npy or .safetensors:KEY");
    if (option.shift)
      throw usageError("a tensor file ('" + option.file + "') cannot be shifted");
    Tensor tensor = readTensor(TensorLocation::parse(option.file));
    convertTensor(option.file, "input '" + input.name + "'", input.type, tensor);
    if (tensor.info.type != input.type || tensor.info.shape != input.shape)
      throw fileError(option.file, "tensor is " + tensor.info.typeText() + ", expected " + input.typeText() +
                                       " for input '" + input.name + "', which has no batch");
    tensors.push_back(std::move(tensor.data));
  }
}

} // namespace plc::runtime
