// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sunlagrange/base/printable.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/base/whole_file.hpp>

/// Files that replace others only when they are complete.
using namespace sunlagrange;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that is removed at the end.
struct Folder {
  fs::path path = fs::absolute("whole_file_test-" + std::to_string(getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }

  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string contents(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const std::string& file, const std::string& text) {
  WholeFile whole(file);
  whole.stream() << text;
  whole.commit();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_appears_as_a_whole) {
  const Folder folder;
  const std::string file = folder / "a";
  std::ofstream(file) << "old";
  const std::string large(300'000, 'x');
  {
    WholeFile whole(file);
    whole.stream() << large << 1.5 << "\n";
    BOOST_TEST(contents(file) == "old");
    whole.commit();
  }
  BOOST_TEST((contents(file) == large + "1.5\n"));
  BOOST_TEST(folder.files() == 1U);
  {
    WholeFile whole(file);
    whole.stream() << "half";
  }
  BOOST_TEST((contents(file) == large + "1.5\n"));  // not committed
  BOOST_TEST(folder.files() == 1U);
}

BOOST_AUTO_TEST_CASE(no_other_file_is_written_to) {
  const Folder folder;
  const std::string file = folder / "cp.json", first = file + ".partial-" + std::to_string(getpid());
  std::ofstream(folder / "victim") << "precious";
  for (const char* name : {"cp.json.part", "cp.json.partial"}) fs::create_symlink("victim", folder / name);
  fs::create_symlink("victim", first);  // the name that would be taken first
  write(file, "new");
  BOOST_TEST(contents(folder / "victim") == "precious");
  BOOST_TEST(contents(file) == "new");
  BOOST_TEST(fs::is_symlink(first));
  BOOST_TEST(folder.files() == 5U);
}

BOOST_AUTO_TEST_CASE(several_writers_of_one_file_do_not_mix) {
  const Folder folder;
  const std::string file = folder / "a";
  WholeFile one(file), other(file);
  one.stream() << "one";
  other.stream() << "other";
  one.commit();
  BOOST_TEST(contents(file) == "one");
  other.commit();
  BOOST_TEST(contents(file) == "other");
  BOOST_TEST(folder.files() == 1U);
}

BOOST_AUTO_TEST_CASE(a_link_stays_and_its_target_is_replaced) {
  const Folder folder;
  fs::create_directory(folder / "deep");
  fs::create_symlink("deep/target", folder / "link");  // its target does not exist yet
  write(folder / "link", "new");
  BOOST_TEST(fs::is_symlink(folder / "link"));
  BOOST_TEST(contents(folder / "deep/target") == "new");
}

BOOST_AUTO_TEST_CASE(permissions_are_those_of_the_older_file_or_the_usual_ones) {
  const Folder folder;
  const std::string file = folder / "a", plain = folder / "plain";
  std::ofstream(file) << "old";
  std::ofstream(plain) << "";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write(file, "new");
  BOOST_TEST((fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write)));
  write(folder / "fresh", "new");
  BOOST_TEST((fs::status(folder / "fresh").permissions() == fs::status(plain).permissions()));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_told) {
  const Folder folder;
  BOOST_CHECK_THROW(WholeFile(folder.path.string()), Error);
  BOOST_CHECK_THROW(WholeFile(folder / "absent/file"), Error);
  WholeFile full("/dev/full");
  full.stream() << "x";
  BOOST_CHECK_THROW(full.commit(), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(control_characters_are_written_out) {
  BOOST_TEST(printable("a\x1b[2Jb\n\tc\x7f") == "a\\x1b[2Jb\n\tc\\x7f");
  BOOST_TEST(printable("\xc2\x9b"
                       "31m") == "\\x9b31m");
  BOOST_TEST(printable("M\xc3\xb6"
                       "bius \xe2\x82\xac") ==
             "M\xc3\xb6"
             "bius \xe2\x82\xac");
}

// Opening a pipe that nothing reads would wait without end, and no signal would interrupt it.
BOOST_AUTO_TEST_CASE(a_pipe_needs_a_reader) {
  const Folder folder;
  const std::string pipe = folder / "pipe";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  BOOST_CHECK_EXCEPTION(WholeFile file(pipe, "--csv: "), Error, [](const Error& error) {
    return std::string(error.what()).find("nothing reads from it") != std::string::npos;
  });
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  WholeFile file(pipe);
  file.stream() << "motion";
  file.commit();
  char read_back[6] = {};
  BOOST_TEST(read(reader, read_back, sizeof read_back) == 6);
  BOOST_TEST(std::string(read_back, 6) == "motion");
  close(reader);
}
