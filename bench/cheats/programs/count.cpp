//: about = "count"
//: cheats = [
//:     { name = "zeroed", does = "finds the memory file of the counters in `/proc/self/task/…/maps` and overwrites them", stops = "CPU time disagrees with the count, and decides" },
//:     { name = "elsewhere", does = "lays other memory over the counters (`mmap`, `MAP_FIXED`)", stops = "CPU time disagrees with the count, and decides" },
//:     { name = "divided-by-20", does = "divides its counters by 20", stops = "CPU time disagrees with the count, and decides" },
//:     { name = "other-path", does = "detects emulation and skips the work under it", stops = "CPU time disagrees with the count, and decides" },
//:     { name = "shorter-path", does = "detects emulation and skips 45 % of the work under it", stops = "nothing: rates within a factor of 2 of the trusted ones are accepted", open = { local = 2, docker = 2, unsafe = 2 } },
//:     { name = "a-little", does = "divides its counters by 1.9", stops = "nothing: rates within a factor of 2 of the trusted ones are accepted", open = { local = 2, docker = 2, unsafe = 2 } },
//: ]
// Computes like cpu.cpp and forges its instruction count; the first word of the input selects the method. "plain" is
// the honest twin.
//
// The emulator's plugin stores its counters in the memory of the process. The emulator hides them in /proc/self/maps,
// but not in /proc/self/task/…/maps, which lists their memory file, and the program can write to any address. A failed
// attempt ends with exit code 4. A native run, such as a measured one, has no counters and only does the work.
#include <cstdio>
#include <cstdlib>
#include <cpuid.h>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

const unsigned long PART = 65536, CELL = 64; // count_file.h

struct Mapping {
    unsigned long start, end;
};

// Returns the mappings of the memory file: one of the whole file, and one of the part of this process.
std::vector<Mapping> counters()
{
    const std::string path = "/proc/self/task/" + std::to_string(syscall(SYS_gettid)) + "/maps";
    std::vector<Mapping> found;
    FILE *file = fopen(path.c_str(), "r");
    char line[512];
    Mapping each;
    while (file && fgets(line, sizeof line, file))
        if (strstr(line, "memfd:") && sscanf(line, "%lx-%lx", &each.start, &each.end) == 2)
            found.push_back(each);
    if (file)
        fclose(file);
    return found;
}

[[noreturn]] void refused(const char *what)
{
    fprintf(stderr, "%s\n", what);
    _exit(4);
}

// Divides the count so far in each cell of this process.
void divide(const std::vector<Mapping> &where, double by)
{
    for (const Mapping &each : where) {
        if (each.end - each.start != PART)
            continue;
        for (unsigned long at = each.start; at < each.end; at += CELL) {
            auto *count = reinterpret_cast<volatile unsigned long *>(at);
            *count = (unsigned long)(*count / by);
        }
    }
}

unsigned long compute(long steps)
{
    unsigned long value = 1;
    for (long i = 0; i < steps; i++)
        value = value * 6364136223846793005UL + 1442695040888963407UL;
    return value;
}

// Computes the same with one multiplication for each binary digit of the number of steps.
unsigned long jumped(unsigned long value, unsigned long steps)
{
    for (unsigned long factor = 6364136223846793005UL, term = 1442695040888963407UL; steps; steps >>= 1) {
        if (steps & 1)
            value = value * factor + term;
        term *= factor + 1;
        factor *= factor;
    }
    return value;
}

// The emulator reports its name in the CPUID leaf of hypervisors.
bool emulated()
{
    unsigned int none, name[3];
    __cpuid(0x40000000, none, name[0], name[1], name[2]);
    return !memcmp(name, "TCGTCGTCGTCG", sizeof name);
}

} // namespace

int main()
{
    char way[64];
    double millions, unused;
    if (scanf("%63s %lf %lf", way, &millions, &unused) != 3)
        return 1;
    const std::string chosen = way;
    const std::vector<Mapping> where = counters();
    if (chosen == "elsewhere")
        // Translated blocks still add to this address, but the counts now go to memory that is never read.
        for (const Mapping &each : where)
            if (each.end - each.start == PART &&
                mmap((void *)each.start, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
                refused("mmap");
    const long steps = long(millions * 1e6), left_out = !emulated() ? 0 : chosen == "other-path" ? steps : chosen == "shorter-path" ? steps * 45 / 100 : 0;
    printf("%lu\n", jumped(compute(steps - left_out), left_out));
    if (chosen == "zeroed")
        divide(where, 1e18);
    if (chosen == "divided-by-20")
        divide(where, 20);
    if (chosen == "a-little")
        divide(where, 1.9);
    fflush(stdout);
    _exit(0);
}
