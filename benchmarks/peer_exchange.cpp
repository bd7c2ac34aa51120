// What an exchange between two parties over TLS costs beside plain sockets: both send d doubles and wait for the
// other's. Medians over many exchanges, of two threads of one process on the loopback, and the processor time of both
// sides together. Exit code 1 where the median is more than the multiple of sockets' that is promised. On a machine
// that others use too, waiting for a processor is most of what medians of long messages measure; then the processor
// time tells, or chrt -f 10 slidemesh_peer_exchange.
//
//   slidemesh_peer_exchange [EXCHANGES]

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>

#include "slidemesh/network/peers/identity.h"
#include "slidemesh/network/peers/mesh.h"

namespace {

using namespace slidemesh;
using Clock = std::chrono::steady_clock;
using Exchange = std::function<void(std::vector<double>& mine, std::vector<double>& theirs)>;

double processor_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

/// Microseconds of an exchange.
struct Cost {
  double median = 0.0;     ///< of the first party's
  double processor = 0.0;  ///< the mean, of both parties
};
Cost measure(const Exchange& first, const Exchange& second, std::size_t d, int exchanges) {
  std::vector<double> micros;
  const auto work = [&](const Exchange& exchange, bool measured) {
    std::vector<double> mine(d, 1.0);
    std::vector<double> theirs(d);
    for (int i = 0; i < exchanges; ++i) {
      const auto begin = Clock::now();
      exchange(mine, theirs);
      if (measured) {
        micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
      }
    }
  };
  const double begin = processor_microseconds();
  std::thread other([&] { work(second, false); });
  work(first, true);
  other.join();
  const double processor = (processor_microseconds() - begin) / exchanges;
  std::nth_element(micros.begin(), micros.begin() + exchanges / 2, micros.end());
  return {micros[static_cast<std::size_t>(exchanges) / 2], processor};
}

void write_all(int socket, const char* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const auto wrote = ::write(socket, data + done, size - done);
    if (wrote <= 0) {
      std::abort();
    }
    done += static_cast<std::size_t>(wrote);
  }
}
void read_all(int socket, char* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const auto got = ::read(socket, data + done, size - done);
    if (got <= 0) {
      std::abort();
    }
    done += static_cast<std::size_t>(got);
  }
}

/// Two ends of a TCP connection on the loopback, with buffers that hold a whole message: both sides write first.
std::pair<int, int> connected_sockets() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener, 1);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const int one = ::socket(AF_INET, SOCK_STREAM, 0);
  const int buffer = 4 << 20;
  const int yes = 1;
  ::setsockopt(one, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
  ::connect(one, reinterpret_cast<sockaddr*>(&address), size);
  const int two = ::accept(listener, nullptr, nullptr);
  ::setsockopt(two, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
  ::setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  ::setsockopt(two, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  ::close(listener);
  return {one, two};
}

Exchange over_socket(int socket) {
  return [socket](std::vector<double>& mine, std::vector<double>& theirs) {
    write_all(socket, reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(double));
    read_all(socket, reinterpret_cast<char*>(theirs.data()), theirs.size() * sizeof(double));
  };
}

Exchange over_mesh(peers::Mesh& mesh, const std::string& other) {
  const auto epoch = mesh.wait_for_view().epoch;
  return [&mesh, other, epoch](std::vector<double>& mine, std::vector<double>& theirs) {
    mesh.send(epoch, other, peers::MessageKind::kRound, std::as_bytes(std::span(mine)));
    mesh.receive(epoch, other, peers::MessageKind::kRound, std::as_writable_bytes(std::span(theirs)));
  };
}

peers::MeshOptions options_of(const std::string& name, const std::string& key, const std::string& other,
                              const std::string& other_key, const std::string& address) {
  peers::MeshOptions options;
  options.party = name;
  options.problem = std::string(64, '0');
  options.listen = "127.0.0.1:0";
  options.incarnation = {1, 1};
  options.grace_seconds = 0.0;
  const peers::Trust trust{key,
                           peers::make_self_signed(key, name, peers::valid_for_days(1, std::time(nullptr))),
                           {{{other, {peers::fingerprint_of_key(other_key)}, ""}}, {}, ""},
                           {address}};
  options.trust = [trust] { return trust; };
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const int exchanges = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::string key_a = peers::make_key();
  const std::string key_b = peers::make_key();
  peers::Mesh a(options_of("a", key_a, "b", key_b, ""));
  peers::Mesh b(options_of("b", key_b, "a", key_a, "127.0.0.1:" + std::to_string(a.port())));
  const Exchange mesh_a = over_mesh(a, "b");
  const Exchange mesh_b = over_mesh(b, "a");
  const auto [one, two] = connected_sockets();
  struct Size {
    std::size_t doubles;
    double most_times;
  };
  bool kept = true;
  std::printf("%10s %12s %12s %8s %8s   %s\n", "doubles", "sockets us", "parties us", "times", "at most",
              "processor: sockets us, parties us, times");
  for (const auto& [d, most_times] : {Size{22, 4.0}, Size{1000, 4.0}, Size{100'000, 6.0}}) {
    const int count = d > 10'000 ? std::max(exchanges / 20, 20) : exchanges;
    const Cost plain = measure(over_socket(one), over_socket(two), d, count);
    const Cost secure = measure(mesh_a, mesh_b, d, count);
    std::printf("%10zu %12.1f %12.1f %8.1f %8.1f   %.1f %.1f %.1f\n", d, plain.median, secure.median,
                secure.median / plain.median, most_times, plain.processor, secure.processor,
                secure.processor / plain.processor);
    kept = kept && secure.median <= most_times * plain.median;
  }
  ::close(one);
  ::close(two);
  return kept ? 0 : 1;
}
