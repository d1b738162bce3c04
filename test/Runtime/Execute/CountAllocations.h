// Counts every allocation of the program: malloc and its kin are replaced.
#ifndef PLC_TEST_COUNTALLOCATIONS_H
#define PLC_TEST_COUNTALLOCATIONS_H

#include <cstdint>

/// Of all threads since the program began.
int64_t numAllocations();

#endif
