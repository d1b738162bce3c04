//===- KernelCheck.cpp - compiled kernels against the interpreter ----------===//
//
// kernel-check FILE [kernels=FILE] [own] [emulated] [FEATURE...]: forms kernels of every body of FILE, or takes those
// of the other file and their calls in bodies of the same names, compiles them (contractions by BLIS, or by our own
// tiles, unless the kernels say; for this machine, or with the given instruction-set features; products of bf16 as if
// for AMX, with vectors for its tiles), runs the bodies on numbers of a fixed sequence, and compares every bit with
// what the interpreter makes of the same body; with vacant accumulators and with full ones, chunk by chunk and at once.
// A body `fault_*` must end with a fault in its last kernel. A body `special_*` gets infinities, NaN and denormals, the
// smallest and the largest integers.
//
//===----------------------------------------------------------------------===//
#include "plc/Codegen/Kernels.h"
#include "plc/Codegen/Passes.h"
#include "plc/Codegen/Target.h"
#include "plc/Kernels/Passes.h"
#include "plc/Reference/Interpreter.h"
#include "plc/Runtime/Base/CpuFeatures.h"
#include "plc/Runtime/KernelABI.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"

#include <blis.h>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <limits>

using namespace mlir;
using namespace plc;
using reference::Tensor;

namespace {

// A small linear congruential generator: the same numbers everywhere.
struct Sequence {
  uint64_t state = 12345;
  uint32_t next() { return uint32_t((state = state * 6364136223846793005u + 1442695040888963407u) >> 33); }
};

template <typename T>
void fillReals(Tensor &tensor, Sequence &sequence, bool special) {
  static const double odd[] = {0.0, -0.0, 1e-40, INFINITY, -INFINITY, NAN, 1e30, -1e-320};
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.as<T>()[i] = T(sequence.next() / double(1u << 30) - 1);
    if (special && sequence.next() % 8 == 0)
      tensor.as<T>()[i] = T(odd[sequence.next() % 8]);
  }
}

template <typename T>
T integer(Sequence &sequence, int64_t index, bool special) {
  static const T odd[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(-1), 0, 1, T(-7)};
  uint32_t kind = special ? sequence.next() % 12 : 12;
  return kind < 6 ? odd[kind] : T(special ? int64_t(sequence.next() % 41) - 20 : index);
}

void fill(Tensor &tensor, Sequence &sequence, bool special, bool fault) {
  visit(tensor.element, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    for (int64_t i = 0; i < tensor.numElements(); ++i) {
      int64_t index = fault && i == 3 ? 1000 : sequence.next() % 4;
      if constexpr (traits.kind == ElementKind::Integer)
        tensor.as<T>()[i] = integer<T>(sequence, index, special);
      if constexpr (traits.kind == ElementKind::Truth)
        tensor.as<T>()[i] = index & 1;
    }
    if constexpr (traits.kind == ElementKind::Real)
      fillReals<T>(tensor, sequence, special);
  });
}

template <typename T>
int64_t firstDifference(const Tensor &found, const Tensor &expected) {
  for (int64_t i = 0; i < found.numElements(); ++i) {
    T a = found.as<T>()[i], b = expected.as<T>()[i];
    bool bothNan = a != a && b != b;
    if (!bothNan && std::memcmp(&a, &b, sizeof(T)))
      return i;
  }
  return -1;
}

int64_t differs(const Tensor &found, const Tensor &expected) {
  return visit(found.element,
               [&](auto traits) { return firstDifference<typename decltype(traits)::Value>(found, expected); });
}

class Checker {
public:
  Checker(ModuleOp original, ModuleOp planned)
      : original(original), planned(planned), interpreter(original, ElementType::F32) {
    runtime::chooseBlisKernels(/*wide=*/true);
    runtime::mayUseTiles(); // asks for them: kernels of this machine may have AMX
    bli_init();
    bli_rntm_init(&rntm);
    bli_rntm_set_num_threads(1, &rntm);
    bli_rntm_disable_l3_sup(&rntm);
  }

  bool compile(std::vector<std::string> features, bool emulated) {
    planned.walk([](plan::KernelOp kernel) { kernel.setNs(700000); }); // as if it were long, so that it is cut
    codegen::KernelSet kernels;
    for (auto kernel : planned.getOps<plan::KernelOp>())
      numberOf[kernel.getSymName()] = kernels.append(kernel);
    codegen::CodeOptions options = codegen::codeOptionsOf(features);
    options.emulatesAmx = emulated;
    options.amx |= emulated;
    auto code = codegen::writeKernels(kernels, options, records);
    if (failed(code) || failed(codegen::lowerToLLVM(**code, records)))
      return false;
    llvm::LLVMContext context;
    auto module = codegen::optimise(**code, context, features);
    SmallVector<char> object;
    int64_t bytes = 0;
    if (!module || failed(codegen::emitObject(*module, features, planned.getLoc(), object, bytes)))
      return false;
    SmallString<128> path;
    if (llvm::sys::fs::createTemporaryFile("kernel-check", "so", path) ||
        failed(codegen::linkModule({StringRef(object.data(), object.size())}, path, planned.getLoc())))
      return false;
    void *handle = dlopen(path.c_str(), RTLD_NOW);
    llvm::sys::fs::remove(path);
    if (!handle)
      return llvm::errs() << dlerror() << '\n', false;
    for (const codegen::KernelRecord &record : records)
      functions.push_back(record.loop ? nullptr
                                      : reinterpret_cast<plc_kernel_fn>(dlsym(handle, record.symbol.c_str())));
    return true;
  }

  bool check(ein::FuncOp body) {
    bool good = true;
    bool updates = !body.getOps<ein::PutOp>().empty(); // a state, which is never vacant
    for (bool accumulate : {false, true})
      for (bool whole : {false, true})
        good &= (updates && !accumulate) || checkOnce(body, accumulate, whole);
    return good;
  }

private:
  bool checkOnce(ein::FuncOp body, bool accumulate, bool whole) {
    Sequence sequence;
    bool special = body.getName().starts_with("special"), fault = body.getName().starts_with("fault");
    std::vector<Tensor> arguments, vacant;
    int64_t accumulators = body.getNumAccumulators(), count = body.getFunctionType().getNumInputs();
    for (auto [index, type] : llvm::enumerate(body.getFunctionType().getInputs())) {
      Tensor tensor = interpreter.makeTensor(type);
      fill(tensor, sequence, special, fault);
      vacant.push_back(int64_t(index) >= count - accumulators && !accumulate ? Tensor() : tensor.copy());
      arguments.push_back(tensor);
    }
    std::vector<Tensor> found;
    int status = run(planned.lookupSymbol<ein::FuncOp>(body.getName()), arguments, accumulate, whole, found);
    if (fault) {
      llvm::outs() << body.getName() << ": status " << status << ", gather " << context.fault_gather << " of "
                   << lastRecord->gathers.size() << ", position " << context.fault_position << ", value "
                   << context.fault_value << '\n';
      return status == 1;
    }
    std::vector<Tensor> expected = interpreter.runFunction(body, vacant);
    for (auto [index, result] : llvm::enumerate(expected))
      if (int64_t at = differs(found[index], result); at >= 0 || status) {
        llvm::outs() << body.getName() << ": result #" << index << (accumulate ? " accumulated" : "")
                     << (whole ? " at once" : " by chunks") << " differs at " << at << " of " << result.numElements();
        if (at >= 0)
          visit(result.element, [&](auto traits) {
            using T = typename decltype(traits)::Value;
            if constexpr (traits.kind == ElementKind::Real)
              llvm::outs() << llvm::format(": %a but expected %a", static_cast<double>(found[index].as<T>()[at]),
                                           static_cast<double>(result.as<T>()[at]));
          });
        llvm::outs() << '\n';
        return false;
      }
    return true;
  }

  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };

  void *allocate(size_t bytes) {
    buffers.emplace_back(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
    std::memset(buffers.back().get(), 0xff, bytes);
    return buffers.back().get();
  }

  int run(ein::FuncOp body, std::vector<Tensor> &arguments, bool accumulate, bool whole, std::vector<Tensor> &results) {
    buffers.clear();
    llvm::DenseMap<Value, void *> memory;
    int64_t accumulators = body.getNumAccumulators();
    for (auto [index, argument] : llvm::enumerate(body.getBody().getArguments())) {
      memory[argument] = allocate(arguments[index].numBytes());
      if (accumulate || int64_t(index) < int64_t(arguments.size()) - accumulators)
        std::memcpy(memory[argument], arguments[index].data(), arguments[index].numBytes());
    }
    for (auto call : body.getBody().front().getOps<plan::CallOp>()) {
      auto kernel = planned.lookupSymbol<plan::KernelOp>(call.getKernel());
      std::vector<void *> operands;
      int64_t inputs = kernel.getNumInputs(), own = call.getNumResults() - kernel.getNumAccumulators();
      for (int64_t i = 0; i < inputs; ++i)
        operands.push_back(memory[call.getArgs()[i]]);
      for (int64_t i = 0; i < int64_t(call.getNumResults()); ++i) {
        Value result = call.getResult(i);
        memory[result] = i < own ? allocate(interpreter.makeTensor(result.getType()).numBytes())
                                 : memory[call.getArgs()[inputs + i - own]];
        operands.push_back(memory[result]);
      }
      if (int status = runKernel(numberOf[kernel.getSymName()], operands, accumulate, whole))
        return status;
    }
    for (Value value : body.getBody().front().getTerminator()->getOperands()) {
      results.push_back(interpreter.makeTensor(value.getType()));
      std::memcpy(results.back().data(), memory[value], results.back().numBytes());
    }
    return 0;
  }

  int runKernel(int64_t number, std::vector<void *> &operands, bool accumulate, bool whole) {
    lastRecord = &records[number];
    if (lastRecord->loop)
      return runIterations(*lastRecord->loop, operands, accumulate, whole);
    plc_kernel_fn function = functions[number];
    int64_t chunks = lastRecord->chunks;
    context = {&rntm, 0, 0, 0};
    if (whole)
      return function(operands.data(), 0, chunks, accumulate, &context);
    int status = 0;
    for (int64_t chunk = chunks; chunk-- > 0;)
      status |= function(operands.data(), chunk, chunk + 1, accumulate, &context);
    return status;
  }

  int runIterations(const module::LoopInfo &loop, std::vector<void *> &operands, bool accumulate, bool whole) {
    for (int64_t count = 0; count < loop.iterations; ++count)
      for (const module::StepInfo &step : loop.steps) {
        std::vector<void *> places;
        for (const module::IterationOperand &operand : step.operands)
          places.push_back(addressOf(operand, operands.data(), count, loop.iterationAt(count)));
        if (int status = runKernel(step.kernel, places, accumulate, whole))
          return status;
      }
    int64_t last = loop.iterationAt(loop.iterations - 1);
    for (const module::EndInfo &end : loop.ends)
      std::memcpy(addressOf(end.to, operands.data(), last), addressOf(end.from, operands.data(), last), end.bytes);
    return 0;
  }

  ModuleOp original, planned;
  reference::Interpreter interpreter;
  rntm_t rntm;
  plc_kernel_context context = {};
  std::vector<codegen::KernelRecord> records;
  codegen::KernelRecord *lastRecord = nullptr;
  std::vector<plc_kernel_fn> functions; // by number
  llvm::StringMap<int64_t> numberOf;
  std::vector<std::unique_ptr<void, Free>> buffers;
};

bool formKernels(ModuleOp module, bool own) {
  PassManager passes(module.getContext());
  kernels::FormKernelsOptions options;
  options.contractions = own ? Contractions::own : Contractions::blis;
  passes.addPass(kernels::createFormKernels(options));
  return succeeded(passes.run(module));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  MLIRContext context;
  context.loadDialect<ein::EinDialect, plan::PlanDialect>();
  auto original = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!original)
    return 1;
  std::vector<std::string> features(argv + 2, argv + argc);
  auto take = [&](llvm::StringRef option) -> std::optional<std::string> {
    if (features.empty() || !llvm::StringRef(features.front()).starts_with(option))
      return std::nullopt;
    std::string value = features.front().substr(option.size());
    features.erase(features.begin());
    return value;
  };
  std::optional<std::string> kernels = take("kernels=");
  bool own = take("own").has_value(), emulated = take("emulated").has_value();
  OwningOpRef<ModuleOp> planned = kernels ? parseSourceFile<ModuleOp>(*kernels, &context) : original->clone();
  if (!planned || (!kernels && !formKernels(*planned, own)))
    return 1;
  if (features.empty())
    features = codegen::featuresOf(InstructionSet::native);
  Checker checker(*original, *planned);
  if (!checker.compile(features, emulated))
    return 1;
  int checked = 0, good = 0;
  for (auto body : original->getOps<ein::FuncOp>()) {
    ++checked;
    good += checker.check(body);
  }
  llvm::outs() << good << " of " << checked << " bodies equal\n";
  return good == checked ? 0 : 1;
}
