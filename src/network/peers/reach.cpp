#include "slidemesh/network/peers/reach.h"

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <chrono>

#include "slidemesh/network/peers/invitation.h"

namespace slidemesh::peers {

using asio::ip::tcp;

std::string why_not_listening(const std::string& text) {
  const Address address = parse_address(text, "address");
  asio::io_context io;
  try {
    const auto ends = tcp::resolver(io).resolve(address.host, address.port, tcp::resolver::passive);
    tcp::acceptor acceptor(io, ends.begin()->endpoint(), true);
    return "";
  } catch (const std::system_error& error) {
    return error.code().message();
  }
}

std::string why_not_reached(const std::string& text, double seconds) {
  const Address address = parse_address(text, "address");
  asio::io_context io;
  tcp::resolver resolver(io);
  tcp::socket socket(io);
  std::string reason = "no answer in time";
  resolver.async_resolve(address.host, address.port,
                         [&](const std::error_code& error, const tcp::resolver::results_type& ends) {
                           if (error) {
                             reason = "its address cannot be resolved: " + error.message();
                             return;
                           }
                           asio::async_connect(socket, ends, [&](const std::error_code& failed, const tcp::endpoint&) {
                             reason = failed ? failed.message() : "";
                           });
                         });
  io.run_for(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds)));
  return reason;
}

}  // namespace slidemesh::peers
