// Reports of processes on other machines, over TCP (IPv4).
#ifndef PLC_LIB_RUNTIME_PROCESSES_FLIGHTLINK_H
#define PLC_LIB_RUNTIME_PROCESSES_FLIGHTLINK_H

#include "plc/Runtime/Base/FlightRecorder.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plc::runtime {

/// Owns a file descriptor of a socket; -1: none.
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

/// The header of a supervisor's message. It answers a question of the launcher, and is also sent whenever something
/// changed.
struct FlightReport {
  static constexpr int32_t gone = 'X';
  int32_t state = 0;    // of the process: the letter of /proc/PID/stat, or `gone`
  int32_t signal = 0;   // the signal that ended it, or 0
  int64_t numBytes = 0; // of its flight recorder, which follow: 0 if nothing has changed
};

/// The launcher's ends of the connections to all supervisors. Never blocks: the launcher polls look().
class FlightLinks {
public:
  /// Listens for supervisors. A connection is lost if nothing can be sent over it for `patience` seconds; 0: never.
  explicit FlightLinks(double patience);

  /// What a supervisor needs to find this launcher and to prove itself; empty if this machine has no network. It stands
  /// in the command line of mpirun, so users of these machines can see it. Its secret keeps out everyone else, and
  /// supervisors of other launchers.
  const std::string &address() const { return text; }
  /// Accepts no more connections.
  void stopListening();

  /// An event of one connection.
  struct News {
    int64_t process;
    std::string host; // its machine
    enum What : uint8_t { Came, RunDescription, Closed, Unreachable } what;
    FlightReport report{};                              // of RunDescription
    std::unique_ptr<FlightRecorder> recorder = nullptr; // of RunDescription, if it has changed
  };
  /// The events since the last call. Asks all supervisors for a sign of life now and then.
  std::vector<News> look();
  /// Whether the machine of a process acknowledges what is sent to it, even if no program there answers. Nullopt while
  /// an acknowledgement may be on its way.
  std::optional<bool> reaches(int64_t process) const;
  /// Closes all connections: each supervisor then ends its process.
  void close();

private:
  struct Link {
    Socket socket;
    int64_t process = -1; // -1: not greeted yet
    std::string host;
    std::vector<std::byte> bytes; // received since the last whole report
    bool asked = false;           // a question without an answer yet
  };
  void accept();
  void ask();
  /// Both return whether the link is kept.
  bool greet(Link &link, std::vector<News> &news);
  bool read(Link &link, std::vector<News> &news);

  double patience;
  std::string text, secret;
  Socket listener;
  int64_t askedAt = 0;
  std::vector<Link> links;
};

/// A supervisor's end of a connection; empty if no address of the launcher can be reached from here.
Socket connectToLauncher(const std::string &address, int64_t process);

} // namespace plc::runtime

#endif
