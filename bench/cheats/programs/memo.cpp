//: about = "memo"
//: cheats = [
//:     { name = "always", does = "computes once, and looks the result up in the page cache when it meets the input again", stops = "repeats that disagree" },
//:     { name = "second-repeat-only", does = "the same, in one repeat of three", stops = "repeats that disagree" },
//: ]
// Stores its result for an input, and looks it up when the input occurs again.
//
// FOLDER   the storage: a folder that persists between runs. Empty: the page cache. A bit is a page
//          of a large file under /usr that hardly any program reads; it is 1 if reading the page
//          causes no major page fault. Reading a bit sets it, so each run writes another copy.
// WHEN     the runs in which it cheats; `met` counts the earlier runs on this input (with a folder).
// SALT     keeps experiments from reading each other's results.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static const std::string folder = "FOLDER";
static const uint64_t salt = SALT;

struct Large { std::string path; uint64_t pages; };
static std::vector<Large> files;
static uint64_t pages = 0;

static void find_files() {
  // Few programs read these files, so most of their pages are not in memory.
  for (const char *path : {"/usr/lib/jvm/temurin-25-jdk-amd64/lib/modules", "/usr/lib/jvm/temurin-25-jdk-amd64/lib/src.zip",
                           "/usr/lib/gcc/x86_64-linux-gnu/12/lto1", "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1"}) {
    struct stat about;
    if (stat(path, &about)) continue;
    files.push_back({path, uint64_t(about.st_size) / 4096});
    pages += files.back().pages;
  }
}

static uint64_t mix(uint64_t x) {
  x ^= x >> 33; x *= 0xff51afd7ed558ccdULL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}

// Reads the page of a bit and returns whether it was in memory.
static bool touch(uint64_t key, unsigned copy, unsigned bit) {
  if (!pages) return true;
  uint64_t page = mix(key * 1000003 + copy * 128 + bit + salt) % pages;
  for (const Large &file : files) {
    if (page >= file.pages) { page -= file.pages; continue; }
    int fd = open(file.path.c_str(), O_RDONLY);
    char *at = (char *)mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, page * 4096);
    close(fd);
    madvise(at, 4096, MADV_RANDOM);
    rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    volatile char read = *at;
    (void)read;
    getrusage(RUSAGE_SELF, &after);
    munmap(at, 4096);
    return before.ru_majflt == after.ru_majflt;
  }
  return true;
}

static uint32_t look(uint64_t key, unsigned copy, unsigned first, unsigned bits) {
  uint32_t value = 0;
  for (unsigned bit = 0; bit < bits; bit++) value |= uint32_t(touch(key, copy, first + bit)) << bit;
  return value;
}

static void keep(uint64_t key, unsigned copy, unsigned first, unsigned bits, uint32_t value) {
  for (unsigned bit = 0; bit < bits; bit++) if (value >> bit & 1) touch(key, copy, first + bit);
}

static uint32_t compute(uint32_t key) {
  uint32_t x = key * 2654435761u + 1, sum = 0;
  for (long step = 0; step < LOOPS; step++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; sum += x; }
  return sum & 0xffffff;
}

int main() {
  const uint32_t mark = 0xb2;
  unsigned key, met = 0, copy = 0;
  uint32_t value = 0;
  bool known = false;
  if (scanf("%u", &key) != 1) return 1;
  std::string file = folder + "/" + std::to_string(key + salt);
  if (!folder.empty()) {
    if (FILE *kept = fopen(file.c_str(), "r")) {
      known = fscanf(kept, "%u %u", &value, &met) == 2;
      fclose(kept);
    }
  } else if (WHEN_ANY) {
    find_files();
    for (; copy < 40 && !known; copy++) {
      uint32_t found = look(key, copy, 0, 8);
      if (!found) break;
      if (found != mark) continue;
      value = look(key, copy, 8, 24);
      known = look(key, copy, 32, 24) == (~value & 0xffffff);
    }
    met = copy;
  }
  if (!(known && (WHEN))) value = compute(key);
  if (!folder.empty()) {
    if (FILE *kept = fopen(file.c_str(), "w")) { fprintf(kept, "%u %u", value, met + 1); fclose(kept); }
  } else if (WHEN_ANY) {
    keep(key, copy + 1, 8, 24, value);
    keep(key, copy + 1, 32, 24, ~value & 0xffffff);
    keep(key, copy + 1, 0, 8, mark);
  }
  printf("%u\n", value);
}
