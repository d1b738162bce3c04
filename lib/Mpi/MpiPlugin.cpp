// The plug-in of one MPI library, compiled once for each that is found.
#include "plc/Runtime/Processes/MpiPlugin.h"

#include <cstring>
#include <mpi.h>

namespace {

/// Stores a library's own communicator or request in a handle; unpack is the inverse.
template <class Own>
plc_mpi_handle pack(Own own) {
  static_assert(sizeof(Own) <= sizeof(plc_mpi_handle));
  plc_mpi_handle handle{0};
  std::memcpy(&handle, &own, sizeof(own));
  return handle;
}

template <class Own>
Own unpack(plc_mpi_handle handle) {
  Own own;
  std::memcpy(&own, &handle, sizeof(own));
  return own;
}

MPI_Comm communicatorOf(plc_mpi_handle handle) { return unpack<MPI_Comm>(handle); }

bool began = false; // MPI was initialised by this plug-in, not by the program

int duplicateOf(MPI_Comm of, plc_mpi_handle *communicator) {
  MPI_Comm made = MPI_COMM_NULL;
  int code = MPI_Comm_dup(of, &made);
  // Errors are returned, so that the runtime can say which peer was lost. MPI's default ends the process.
  if (code == MPI_SUCCESS)
    code = MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  *communicator = pack(made);
  return code;
}

int initialize(int *process, int *count, plc_mpi_handle *world) {
  int before = 0, level = 0;
  int code = MPI_Initialized(&before);
  if (code == MPI_SUCCESS && !before) {
    code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    began = code == MPI_SUCCESS;
  } else if (code == MPI_SUCCESS) {
    code = MPI_Query_thread(&level);
  }
  // The ranks of a process are threads, whose calls the runtime serializes.
  if (code == MPI_SUCCESS && level < MPI_THREAD_SERIALIZED)
    code = MPI_ERR_UNSUPPORTED_OPERATION;
  if (code == MPI_SUCCESS)
    code = duplicateOf(MPI_COMM_WORLD, world);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_rank(MPI_COMM_WORLD, process);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_size(MPI_COMM_WORLD, count);
  return code;
}

int finalize() { return began ? MPI_Finalize() : MPI_SUCCESS; }

int finalizes() { return began; }

void abortAll(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

const char *error(int code) {
  static char text[MPI_MAX_ERROR_STRING + 1];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    return "unknown error";
  return text;
}

int duplicate(plc_mpi_handle of, plc_mpi_handle *communicator) { return duplicateOf(communicatorOf(of), communicator); }

int release(plc_mpi_handle *handle) {
  MPI_Comm communicator = communicatorOf(*handle);
  int code = MPI_Comm_free(&communicator);
  *handle = pack(communicator);
  return code;
}

int largestTag(int *tag) {
  int *found = nullptr, flag = 0;
  int code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &found, &flag);
  *tag = code == MPI_SUCCESS && flag ? *found : 32767; // the least that the standard allows
  return code;
}

/// Calls begin(MPI_Request *), and stores the request in the handle.
template <class Begin>
int start(plc_mpi_handle *handle, Begin begin) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = begin(&request);
  *handle = pack(request);
  return code;
}

int receive(plc_mpi_handle communicator, void *data, int bytes, int source, int tag, plc_mpi_handle *handle) {
  return start(handle, [&](MPI_Request *request) {
    return MPI_Irecv(data, bytes, MPI_BYTE, source, tag, communicatorOf(communicator), request);
  });
}

int send(plc_mpi_handle communicator, const void *data, int bytes, int destination, int tag, plc_mpi_handle *handle) {
  return start(handle, [&](MPI_Request *request) {
    return MPI_Isend(data, bytes, MPI_BYTE, destination, tag, communicatorOf(communicator), request);
  });
}

int broadcast(plc_mpi_handle communicator, void *data, int bytes, int root, plc_mpi_handle *handle) {
  return start(handle, [&](MPI_Request *request) {
    return MPI_Ibcast(data, bytes, MPI_BYTE, root, communicatorOf(communicator), request);
  });
}

int gather(plc_mpi_handle communicator, const void *data, void *all, int bytes, plc_mpi_handle *handle) {
  return start(handle, [&](MPI_Request *request) {
    return MPI_Iallgather(data, bytes, MPI_BYTE, all, bytes, MPI_BYTE, communicatorOf(communicator), request);
  });
}

int test(plc_mpi_handle *handle, int *over) {
  MPI_Request request = unpack<MPI_Request>(*handle);
  int code = MPI_Test(&request, over, MPI_STATUS_IGNORE);
  *handle = pack(request);
  return code;
}

/// A probe for any message makes the library look at the network.
int progress(plc_mpi_handle communicator) {
  int flag = 0;
  return MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicatorOf(communicator), &flag, MPI_STATUS_IGNORE);
}

} // namespace

extern "C" const plc_mpi_plugin_table plc_mpi_plugin = {
    PLC_MPI_VERSION, initialize, finalize, finalizes, abortAll, error, duplicate, release,
    largestTag,      receive,    send,     broadcast, gather,   test,  progress};
