#include "slidemesh/network/peers/reach.h"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

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

}  // namespace slidemesh::peers
