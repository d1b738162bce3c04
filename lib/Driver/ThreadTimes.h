// What threads cost each other.
#ifndef PLC_DRIVER_THREADTIMES_H
#define PLC_DRIVER_THREADTIMES_H

namespace plc::driver {

/// Nanoseconds from when a thread calls to wake one that sleeps until that one runs; about half of them takes the call.
double measureWakeNs();

/// How much longer each core takes where twice as many compute; 1 where there is one.
double measureSlowdown();

} // namespace plc::driver

#endif
