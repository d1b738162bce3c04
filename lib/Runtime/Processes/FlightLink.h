// How a launcher hears of a process on another machine: over a TCP connection (IPv4), from a supervisor that the process has there.
#ifndef PLC_LIB_RUNTIME_PROCESSES_FLIGHTLINK_H
#define PLC_LIB_RUNTIME_PROCESSES_FLIGHTLINK_H

#include "plc/Runtime/Base/FlightRecorder.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plc::runtime {

/// A socket.
class Socket {
public:
  explicit Socket(int file = -1) : file(file) {}
  Socket(Socket &&other) noexcept : file(std::exchange(other.file, -1)) {}
  Socket &operator=(Socket &&other) noexcept;
  ~Socket();

  int get() const { return file; }
  explicit operator bool() const { return file >= 0; }

private:
  int file;
};

/// What a supervisor answers when it is asked, and tells whenever it has changed.
struct FlightReport {
  static constexpr int32_t gone = 'X';
  int32_t state = 0;    // of the process, as /proc tells it, or `gone`
  int32_t signal = 0;   // that ended it, or 0
  int64_t numBytes = 0; // of its flight recorder, which come next: none if nothing has changed
};

/// The launcher's ends of all connections.
class FlightLinks {
public:
  /// Listens for supervisors. A connection is lost once nothing can be sent over it for `patience` seconds; 0: it never is.
  explicit FlightLinks(double patience);

  /// For a supervisor, by which it finds and proves itself to this launcher; empty if this machine has no network. Users of these
  /// machines may see it, in the command line of mpirun: it keeps others away, and supervisors of other launchers.
  const std::string &address() const { return text; }
  /// Nobody is to come any more.
  void stopListening();

  struct News {
    int64_t process;
    std::string host; // its machine
    enum What : uint8_t { Came, Told, Closed, Unreachable } what;
    FlightReport report{};                              // if it told something
    std::unique_ptr<FlightRecorder> recorder = nullptr; // if that has changed
  };
  /// What has happened since. Now and then asks all how they fare.
  std::vector<News> look();
  /// Whether the machine of a process has received what it was asked, be there nobody who answers. Nothing while an
  /// acknowledgement may be on its way.
  std::optional<bool> reaches(int64_t process) const;
  /// Closes all connections: whoever is behind one ends its process.
  void close();

private:
  struct Link {
    Socket socket;
    int64_t process = -1; // that it has not told yet
    std::string host;
    std::vector<std::byte> bytes; // that came since the last whole report
    bool asked = false;           // and has not answered
  };
  void accept();
  void ask();
  bool greet(Link &link, std::vector<News> &news);
  bool read(Link &link, std::vector<News> &news);

  double patience;
  std::string text, secret;
  Socket listener;
  int64_t askedAt = 0;
  std::vector<Link> links;
};

/// A supervisor's end. Nothing if the launcher cannot be reached there.
Socket connectToLauncher(const std::string &address, int64_t process);

} // namespace plc::runtime

#endif
