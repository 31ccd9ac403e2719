#include <bits/stdc++.h>
using namespace std;

// ==Code Submission==

namespace runner_io {

static std::string read_all() {
    std::string text;
    static char chunk[1 << 16];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, stdin)) > 0) text.append(chunk, got);
    return text;
}

static std::vector<int> parse_ints(const char*& p) {
    std::vector<int> out;
    while (*p && *p != '[') ++p;
    if (*p) ++p;
    while (*p && *p != ']') {
        if (*p == '-' || (*p >= '0' && *p <= '9')) {
            bool negative = *p == '-';
            if (negative) ++p;
            long long v = 0;
            while (*p >= '0' && *p <= '9') v = v * 10 + (*p++ - '0');
            out.push_back((int)(negative ? -v : v));
        } else {
            ++p;
        }
    }
    if (*p) ++p;
    return out;
}

}  // namespace runner_io

int main() {
    std::string text = runner_io::read_all();
    const char* p = text.c_str();
    std::vector<int> nums = runner_io::parse_ints(p);
    printf("%d\n", Solution().longestRising(nums));
    return 0;
}
