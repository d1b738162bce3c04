// CPU features from /proc/cpuinfo, under LLVM's names.
#include "plc/Runtime/Base/CpuFeatures.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <blis.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace plc::runtime {

namespace {

/// LLVM and Linux differ in punctuation: avx512vnni and avx512_vnni, sse4.2 and sse4_2.
std::string plainName(std::string_view name) {
  std::string plain;
  for (char c : name)
    if (c != '.' && c != '_' && c != '-')
      plain += c;
  return plain;
}

/// The flags of the first CPU; all CPUs have the same.
std::set<std::string> readFlags() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("flags", 0) != 0)
      continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> flags;
    for (std::string word; words >> word;)
      flags.insert(plainName(word));
    return flags;
  }
  return {};
}

/// Features for which LLVM and Linux have different words: LLVM's, then Linux's, without punctuation.
constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
    {"64bit", "lm"},     {"bmi", "bmi1"},    {"cmov", "cmov"}, {"lzcnt", "abm"}, {"prfchw", "3dnowprefetch"},
    {"rdrnd", "rdrand"}, {"sahf", "lahflm"}, {"sha", "shani"}, {"sse3", "pni"},  {"pclmul", "pclmulqdq"},
    {"x87", "fpu"},      {"crc32", "sse42"}, {"fxsr", "fxsr"}, {"cx8", "cx8"},   {"avxvnni", "avxvnni"},
};

} // namespace

bool cpuHasFeature(std::string_view name) {
  static const std::set<std::string> flags = readFlags();
  std::string plain = plainName(name);
  for (auto [llvm, linux_] : synonyms)
    if (plain == llvm)
      plain = linux_;
  return flags.count(plain) != 0;
}

bool mayUseTiles() {
  // ARCH_REQ_XCOMP_PERM of XFEATURE_XTILEDATA, arch/x86/include/uapi/asm/prctl.h.
  static const bool granted = ::syscall(SYS_arch_prctl, 0x1023, 18) == 0;
  return granted;
}

void chooseBlisKernels(bool wide) {
  // The numbers are BLIS 0.9's arch_t: 0 is skx, 3 is haswell.
  bool skx = wide;
  for (const char *feature : {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"})
    skx = skx && cpuHasFeature(feature);
  if (skx)
    ::setenv("BLIS_ARCH_TYPE", "0", 0);
  else if (cpuHasFeature("avx2") && cpuHasFeature("fma"))
    ::setenv("BLIS_ARCH_TYPE", "3", 0);
}

std::string blisKernels() { return bli_arch_string(bli_arch_query_id()); }

int64_t blisBytesPerThread() {
  bli_init();
  int64_t bytes = 0;
  for (packbuf_t factor : {BLIS_BUFFER_FOR_A_BLOCK, BLIS_BUFFER_FOR_B_PANEL}) {
    pool_t *pool = bli_pba_pool(bli_packbuf_index(factor), bli_pba_query());
    bytes += int64_t(bli_pool_block_size(pool) + bli_pool_align_size(pool));
  }
  return bytes;
}

} // namespace plc::runtime
