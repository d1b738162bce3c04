// Connections between the launcher and supervisors on other machines.
#include "FlightLink.h"

#include "plc/Runtime/Base/Trace.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <random>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

namespace plc::runtime {

namespace {

/// 128 random bits; a host's name has at most 64 bytes on Linux.
constexpr size_t secretDigits = 32, hostBytes = 64;
constexpr char accepted = '+', question = '?', separator = ',';
/// A quarter second: a stopped process is reported after three, so its state must be known more often. Not tuned.
constexpr int64_t askNs = 250'000'000;
constexpr int connectMs = 1000; // for one address of several: an unreachable one must not hold up the start
constexpr int probes = 3;       // unanswered probes after which a connection is lost: one or two may be lost on the way
const auto ownBytes = static_cast<int64_t>(FlightRecorder::numBytes);

/// The first message of a supervisor.
struct Greeting {
  char secret[secretDigits];
  int64_t process;
  int64_t recorderBytes; // unequal to the launcher's: another version of this program
  char host[hostBytes];
};

std::string makeSecret() {
  std::random_device random;
  std::string secret;
  while (secret.size() < secretDigits)
    secret += "0123456789abcdef"[random() % 16];
  return secret;
}

/// The IPv4 addresses of this machine that others may reach: all but loopback, of interfaces that are up.
std::vector<std::string> ownAddresses() {
  std::vector<std::string> addresses;
  ifaddrs *all = nullptr;
  if (::getifaddrs(&all) != 0)
    return addresses;
  for (const ifaddrs *each = all; each; each = each->ifa_next) {
    if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || !(each->ifa_flags & IFF_UP) ||
        (each->ifa_flags & IFF_LOOPBACK))
      continue;
    char text[INET_ADDRSTRLEN];
    if (::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(each->ifa_addr)->sin_addr, text, sizeof(text)))
      addresses.emplace_back(text);
  }
  ::freeifaddrs(all);
  return addresses;
}

void setOption(const Socket &socket, int level, int option, int value) {
  ::setsockopt(socket.get(), level, option, &value, sizeof(value));
}

/// Leaves it to the kernels of both machines to find out that they cannot reach each other. They answer for programs
/// that are stopped, suspended or starved, which are not lost.
void watch(const Socket &socket, double patience) {
  setOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  if (patience <= 0)
    return;
  // Idle time and probes together take `patience` seconds; so does data without an acknowledgement.
  int seconds = std::max(1, static_cast<int>(std::lround(patience / probes)));
  setOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  setOption(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds);
  setOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds);
  setOption(socket, IPPROTO_TCP, TCP_KEEPCNT, probes - 1);
  setOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * probes * 1000);
}

bool isReady(const Socket &socket, short what, int ms) {
  pollfd wait{socket.get(), what, 0};
  return ::poll(&wait, 1, ms) == 1;
}

/// Connects within connectMs, or returns an empty socket.
Socket connectTo(const std::string &host, uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 || !socket)
    return Socket();
  int error = 0;
  socklen_t size = sizeof(error);
  if (::connect(socket.get(), reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0 &&
      (errno != EINPROGRESS || !isReady(socket, POLLOUT, connectMs) ||
       ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0))
    return Socket();
  return socket;
}

} // namespace

Socket &Socket::operator=(Socket &&other) noexcept {
  std::swap(file, other.file);
  return *this;
}

Socket::~Socket() {
  if (file >= 0)
    ::close(file);
}

FlightLinks::FlightLinks(double patience) : patience(patience), secret(makeSecret()) {
  // Port 0: the system chooses a free one, which getsockname() returns.
  std::vector<std::string> hosts = ownAddresses();
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof(address);
  auto *any = reinterpret_cast<sockaddr *>(&address);
  if (hosts.empty() || !socket || ::bind(socket.get(), any, size) != 0 || ::listen(socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(socket.get(), any, &size) != 0)
    return;
  listener = std::move(socket);
  // All addresses: a supervisor tries each, because only some may lead here.
  text = secret + separator + std::to_string(patience) + separator + std::to_string(ntohs(address.sin_port));
  for (const std::string &host : hosts)
    text += separator + host;
}

std::vector<FlightLinks::News> FlightLinks::look() {
  std::vector<News> news;
  accept();
  std::erase_if(links, [&](Link &link) { return !(link.process < 0 ? greet(link, news) : read(link, news)); });
  ask();
  return news;
}

void FlightLinks::stopListening() {
  listener = Socket();
  std::erase_if(links, [](const Link &link) { return link.process < 0; });
}

void FlightLinks::close() {
  stopListening();
  links.clear();
}

void FlightLinks::accept() {
  while (listener) {
    Socket socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket)
      return;
    watch(socket, patience);
    Link link;
    link.socket = std::move(socket);
    links.push_back(std::move(link));
  }
}

/// Waits for a whole greeting, without blocking: MSG_PEEK leaves a part of it in the socket.
bool FlightLinks::greet(Link &link, std::vector<News> &news) {
  Greeting greeting;
  ssize_t size = ::recv(link.socket.get(), &greeting, sizeof(greeting), MSG_PEEK);
  if (size >= 0 && size < static_cast<ssize_t>(sizeof(greeting)))
    return size > 0;
  if (size < 0)
    return errno == EAGAIN || errno == EINTR;
  ::recv(link.socket.get(), &greeting, sizeof(greeting), 0);
  // A stranger, or a program whose flight recorder has another layout.
  if (std::string_view(greeting.secret, secretDigits) != secret || greeting.process < 0 ||
      greeting.recorderBytes != ownBytes)
    return false;
  link.process = greeting.process;
  link.host.assign(greeting.host, ::strnlen(greeting.host, hostBytes));
  news.push_back({link.process, link.host, News::Came});
  return ::send(link.socket.get(), &accepted, 1, MSG_NOSIGNAL) == 1;
}

bool FlightLinks::read(Link &link, std::vector<News> &news) {
  auto ends = [&](News::What how) {
    news.push_back({link.process, link.host, how});
    return false;
  };
  // Each round takes one report out of the bytes received, or receives more: first the header, then the recorder that
  // it announces.
  for (;;) {
    FlightReport report;
    size_t held = link.bytes.size(), wanted = sizeof(report);
    if (held >= wanted)
      std::memcpy(&report, link.bytes.data(), sizeof(report));
    // Never trust a length from the network.
    if (report.numBytes != 0 && report.numBytes != ownBytes)
      return ends(News::Closed);
    wanted += static_cast<size_t>(report.numBytes);
    if (held == wanted) {
      std::unique_ptr<FlightRecorder> recorder;
      if (report.numBytes && !(recorder = FlightRecorder::copy(link.bytes.data() + sizeof(report))))
        return ends(News::Closed);
      news.push_back({link.process, link.host, News::RunDescription, report, std::move(recorder)});
      link.asked = false;
      link.bytes.clear();
      continue;
    }
    link.bytes.resize(wanted);
    ssize_t size = ::recv(link.socket.get(), link.bytes.data() + held, wanted - held, 0);
    int error = size < 0 ? errno : 0;
    link.bytes.resize(held + static_cast<size_t>(std::max<ssize_t>(size, 0)));
    if (error == EAGAIN || error == EINTR)
      return true;
    // A closed connection ends the process in order; any other error means that its machine is out of reach.
    if (size <= 0)
      return ends(error == 0 || error == ECONNRESET || error == EPIPE ? News::Closed : News::Unreachable);
  }
}

void FlightLinks::ask() {
  int64_t now = Trace::now();
  if (now - askedAt < askNs)
    return;
  askedAt = now;
  for (Link &link : links)
    // At most one question at a time, so that a stopped supervisor's queue does not fill.
    if (link.process >= 0 && !link.asked)
      link.asked = ::send(link.socket.get(), &question, 1, MSG_NOSIGNAL) == 1;
}

std::optional<bool> FlightLinks::reaches(int64_t process) const {
  auto link = std::find_if(links.begin(), links.end(), [&](const Link &each) { return each.process == process; });
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (link == links.end() || ::getsockopt(link->socket.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
    return false;
  // The last question was acknowledged by the other kernel. If it was sent again, it was not.
  if (info.tcpi_unacked == 0)
    return true;
  return info.tcpi_retransmits > 0 ? std::optional(false) : std::nullopt;
}

Socket connectToLauncher(const std::string &address, int64_t process) {
  // SECRET,PATIENCE,PORT,HOST,HOST,..
  std::istringstream words(address);
  std::string secret, patience, port, host;
  Greeting greeting{};
  greeting.process = process;
  greeting.recorderBytes = ownBytes;
  if (!std::getline(words, secret, separator) || !std::getline(words, patience, separator) ||
      !std::getline(words, port, separator) || secret.size() != secretDigits)
    return Socket();
  std::memcpy(greeting.secret, secret.data(), secretDigits);
  ::gethostname(greeting.host, hostBytes);
  while (std::getline(words, host, separator)) {
    Socket socket = connectTo(host, static_cast<uint16_t>(std::atoi(port.c_str())));
    char answer = 0;
    if (!socket || ::send(socket.get(), &greeting, sizeof(greeting), MSG_NOSIGNAL) != sizeof(greeting) ||
        !isReady(socket, POLLIN, connectMs) || ::recv(socket.get(), &answer, 1, 0) != 1 || answer != accepted)
      continue;
    watch(socket, std::atof(patience.c_str()));
    // A supervisor may block: it has nothing else to do.
    ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    return socket;
  }
  return Socket();
}

} // namespace plc::runtime
