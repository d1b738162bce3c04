//===- Fuzz.h - what every fuzz target has ----------------------*- C++ -*-===//
#ifndef PLC_TEST_FUZZ_FUZZ_H
#define PLC_TEST_FUZZ_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// A finding, if it does not hold.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

#endif
