/* The functions of an MPI library, as a plug-in gives them to the runtime. So neither plc-run nor libplcrt links to
 * MPI. Plain C. */
#ifndef PLC_RUNTIME_PROCESSES_MPIPLUGIN_H
#define PLC_RUNTIME_PROCESSES_MPIPLUGIN_H

#include <stdint.h>

enum { PLC_MPI_VERSION = 2 };

/* A communicator or a request, whose type is the library's own. */
typedef struct {
  uint64_t bits;
} plc_mpi_handle;

/* Exported by each plug-in as `plc_mpi_plugin`. All functions but `error`, `abort` and `finalizes` return 0 or the
 * library's error code. At most one thread calls at a time. A request is over when `test` says so; its memory must stay
 * valid and unchanged until then. */
typedef struct {
  int version; /* PLC_MPI_VERSION */
  /* Initialises MPI unless the program has; *world is a communicator of the plug-in's own. */
  int (*initialize)(int *process, int *count, plc_mpi_handle *world);
  /* Ends MPI if `initialize` began it. */
  int (*finalize)(void);
  int (*finalizes)(void);  /* whether it does */
  void (*abort)(int code); /* ends all processes */
  const char *(*error)(int code);

  int (*duplicate)(plc_mpi_handle of, plc_mpi_handle *communicator);
  int (*release)(plc_mpi_handle *communicator);
  int (*largestTag)(int *tag);

  int (*receive)(plc_mpi_handle communicator, void *data, int bytes, int source, int tag, plc_mpi_handle *request);
  int (*send)(plc_mpi_handle communicator, const void *data, int bytes, int destination, int tag,
              plc_mpi_handle *request);
  int (*broadcast)(plc_mpi_handle communicator, void *data, int bytes, int root, plc_mpi_handle *request);
  /* all[process * bytes ..] are the bytes of each process. */
  int (*gather)(plc_mpi_handle communicator, const void *data, void *all, int bytes, plc_mpi_handle *request);
  int (*test)(plc_mpi_handle *request, int *over);
  /* Lets messages that were begun make progress. */
  int (*progress)(plc_mpi_handle communicator);
} plc_mpi_plugin_table;

#endif
