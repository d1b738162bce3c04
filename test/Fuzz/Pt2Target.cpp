//===- Pt2Target.cpp - any bytes, read as a .pt2 archive ------------------===//
//
// The first byte says what the rest is: the archive, its graph, or the table of its tensors. The others are as in
// `members`. What must hold of any bytes: they are refused with a text, or give a graph in which each value is defined
// before it is read, and tensors that have as many bytes as their types ask for.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "GraphCheck.h"
#include "StoredArchive.h"
#include "plc/Import/ReadPt2.h"

#include <array>
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

/// An archive of the members, one of them with another text.
std::string archiveWith(size_t changed, std::string_view text) {
  Members all(members.begin(), members.end());
  all[changed].second = text;
  return storedArchive(all);
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
