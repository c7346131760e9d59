// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/printable.hpp>

#include <cstddef>

namespace sunlagrange {

std::string printable(const std::string& text) {
  constexpr const char* hexadecimal = "0123456789abcdef";
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]), next = static_cast<unsigned char>(text.c_str()[k + 1]);
    const bool in_utf8 = c == 0xc2 && next >= 0x80 && next < 0xa0;
    if (!in_utf8 && (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f))) {
      out += text[k];
      continue;
    }
    const unsigned char code = in_utf8 ? next : c;
    out += {'\\', 'x', hexadecimal[code / 16], hexadecimal[code % 16]};
    if (in_utf8) ++k;
  }
  return out;
}

}  // namespace sunlagrange
