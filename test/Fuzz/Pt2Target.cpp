//===- Pt2Target.cpp - any bytes, read as a .pt2 archive ------------------===//
//
// The first byte says what the rest is: the archive, its graph, or the table of its tensors. The others are as in
// `members`. What must hold of any bytes: they are refused with a text, or give a graph in which each value is defined
// before it is read, and tensors that have as many bytes as their types ask for.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "GraphCheck.h"
#include "plc/Import/ReadPt2.h"

#include <array>
#include <cstring>
#include <string_view>

using namespace plc;
using namespace plc::import;

namespace {

const std::string tensor = R"({"dtype":7,"sizes":[{"as_int":2}],"strides":[{"as_int":1}],"storage_offset":)"
                           R"({"as_int":0},"layout":7})";
const std::string nodes = R"([{"target":"torch.ops.aten.mul.Tensor","inputs":[{"name":"self","arg":{"as_tensor":)"
                          R"({"name":"x"}}},{"name":"other","arg":{"as_tensor":{"name":"w"}}}],"outputs":)"
                          R"([{"as_tensor":{"name":"y"}}],"metadata":{}}])";
const std::string signature = R"({"input_specs":[{"parameter":{"arg":{"name":"w"},"parameter_name":"w"}},)"
                              R"({"user_input":{"arg":{"as_tensor":{"name":"x"}}}}],)"
                              R"("output_specs":[{"user_output":{"arg":{"as_tensor":{"name":"y"}}}}]})";

/// Members of an archive of `y = x * w`, as names and texts.
const std::array<std::pair<std::string, std::string>, 6> members{{
    {"a/archive_format", "pt2"},
    {"a/archive_version", "0"},
    {"a/models/model.json",
     R"({"schema_version":{"major":8,"minor":20},"graph_module":{"graph":{"inputs":[],"outputs":[],"nodes":)" + nodes +
         R"(,"tensor_values":{"x":)" + tensor + R"(,"w":)" + tensor + R"(,"y":)" + tensor + R"(}},"signature":)" +
         signature + R"(,"module_call_graph":[]}})"},
    {"a/data/weights/model_weights_config.json",
     R"({"config":{"w":{"path_name":"weight_0","use_pickle":false,"tensor_meta":)" + tensor + "}}}"},
    {"a/data/constants/model_constants_config.json", R"({"config":{}})"},
    {"a/data/weights/weight_0", std::string(16, '\1')},
}};

void append(std::string &bytes, uint64_t value, size_t width) {
  bytes.append(reinterpret_cast<const char *>(&value), width);
}

/// A stored ZIP of the members, one of them with another text.
std::string archiveWith(size_t changed, std::string_view text) {
  std::string bytes, directory;
  for (size_t i = 0; i < members.size(); ++i) {
    const auto &[name, usual] = members[i];
    std::string_view data = i == changed ? text : std::string_view(usual);
    append(directory, 0x02014b50, 4);
    directory.append(16, '\0');
    append(directory, data.size(), 4);
    append(directory, data.size(), 4);
    append(directory, name.size(), 2);
    directory.append(12, '\0');
    append(directory, bytes.size(), 4);
    directory += name;
    append(bytes, 0x04034b50, 4);
    bytes.append(22, '\0');
    append(bytes, name.size(), 4);
    bytes += name;
    bytes += data;
  }
  size_t begin = bytes.size();
  bytes += directory;
  append(bytes, 0x06054b50, 4);
  bytes.append(6, '\0');
  append(bytes, members.size(), 2);
  append(bytes, directory.size(), 4);
  append(bytes, begin, 4);
  bytes.append(2, '\0');
  return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::string_view rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  std::string archive = data[0] == 0 ? std::string(rest) : archiveWith(data[0] == 1 ? 2 : 3, rest), error;
  auto memory = llvm::MemoryBuffer::getMemBufferCopy(archive);
  if (std::optional<ImportedModel> model = readPt2(std::move(memory), error)) {
    checkGraph(model->graph);
    checkWeights(*model);
  } else {
    require(!error.empty(), "refused without a text");
  }
  return 0;
}
