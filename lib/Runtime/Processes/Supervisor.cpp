// A process that watches its child and reports to the launcher.
#include "Supervisor.h"

#include "Base/ProcessState.h"
#include "FlightLink.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace plc::runtime {

namespace {

/// Milliseconds between two looks at the child. Not tuned: a stop is reported well within the launcher's three seconds.
constexpr int lookMs = 200;
/// Lets the launcher hear of an end before mpirun ends other processes because of it. mpirun does not notice the end
/// before the supervisor ends, because both hold its pipes. Not tuned: long beside a message.
constexpr auto ahead = std::chrono::milliseconds(200);

/// The parent: follows `worker`, its child, for the launcher, and watches that `starter`, its own parent, is there.
class Supervisor {
public:
  Supervisor(Socket link, pid_t worker, pid_t starter, std::unique_ptr<FlightRecorder> flight)
      : link(std::move(link)), worker(worker), starter(starter), flight(std::move(flight)) {}

  [[noreturn]] void run() {
    // A pidfd becomes readable when its process ends, so poll() wakes at once.
    Socket ofWorker = handleOf(worker), ofStarter = handleOf(starter);
    pollfd waits[] = {{link.get(), POLLIN, 0}, {ofWorker.get(), POLLIN, 0}, {ofStarter.get(), POLLIN, 0}};
    int status = 0;
    for (;;) {
      tell(stateOfProcess(worker).value_or(0), 0);
      int ready = ::poll(waits, std::size(waits), lookMs);
      if (ready > 0 && waits[0].revents)
        hear();
      // Without a launcher or a starter nothing would end the child.
      if (lost || (ready > 0 && waits[2].revents) || ::getppid() != starter)
        end();
      // The child has ended: report it, then end in the same way.
      if (::waitpid(worker, &status, WNOHANG) == worker)
        break;
    }
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    tell(FlightReport::gone, signal);
    if (!signal)
      ::_exit(WEXITSTATUS(status));
    std::this_thread::sleep_for(ahead);
    dieBy(signal);
  }

private:
  static Socket handleOf(pid_t process) { return Socket(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))); }

  void hear() {
    char questions[16];
    ssize_t size = ::recv(link.get(), questions, sizeof(questions), 0);
    lost |= size == 0 || (size < 0 && errno != EINTR);
    asked = size > 0;
  }

  // Sends the whole recorder if something changed, or only a sign of life if the launcher has asked. Changed means:
  // came, gone, stopped, continued, or saved a checkpoint. Progress of its ranks is no news, because the launcher needs
  // it only at the end.
  void tell(int32_t state, int32_t signal) {
    std::string checkpoint = flight->checkpoint();
    bool isNew = !report.state || state == FlightReport::gone || isStopped(state) != isStopped(report.state) ||
                 checkpoint != told;
    report = {state, signal, isNew ? static_cast<int64_t>(FlightRecorder::numBytes) : 0};
    told = checkpoint;
    if (isNew || asked)
      send(&report, sizeof(report));
    if (isNew)
      send(flight->bytes(), FlightRecorder::numBytes);
    asked = false;
  }

  void send(const void *data, size_t size) {
    const auto *bytes = static_cast<const char *>(data);
    for (size_t sent = 0; sent < size && !lost;) {
      ssize_t some = ::send(link.get(), bytes + sent, size - sent, MSG_NOSIGNAL);
      lost = some < 0 && errno != EINTR;
      sent += some > 0 ? static_cast<size_t>(some) : 0;
    }
  }
  static bool isStopped(int32_t state) { return state == 'T'; }

  // The launcher is gone: kills the child.
  [[noreturn]] void end() {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
    dieBy(SIGKILL);
  }

  [[noreturn]] static void dieBy(int signal) {
    // No second core file: the child has left its own.
    rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    ::_exit(EXIT_FAILURE);
  }

  Socket link;
  const pid_t worker, starter;
  std::unique_ptr<FlightRecorder> flight;
  FlightReport report;
  std::string told; // the checkpoint
  bool asked = false, lost = false;
};

} // namespace

void supervise(const std::string &address, int64_t process) {
  Socket link = connectToLauncher(address, process);
  if (!link)
    return;
  std::unique_ptr<FlightRecorder> flight = FlightRecorder::share();
  const pid_t starter = ::getppid(), self = ::getpid();
  pid_t worker = flight ? ::fork() : -1;
  if (worker < 0)
    return;
  if (worker == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent died before the request above took effect.
    if (::getppid() != self)
      ::raise(SIGKILL);
    FlightRecorder::keep(std::move(flight));
    return;
  }
  flight->setPid(worker);
  Supervisor(std::move(link), worker, starter, std::move(flight)).run();
}

} // namespace plc::runtime
