#include <bits/stdc++.h>
using namespace std;

// ==Code Submission==

int main() {
    string runnerText;
    char runnerBlock[1 << 16];
    for (size_t k; (k = fread(runnerBlock, 1, sizeof runnerBlock, stdin)) > 0;) runnerText.append(runnerBlock, k);
    const char* at = runnerText.c_str();
    auto number = [&]() {
        bool negative = *at == '-';
        if (negative) at++;
        long long x = 0;
        while (*at >= '0' && *at <= '9') x = x * 10 + (*at++ - '0');
        return negative ? -x : x;
    };
    auto skip = [&]() {
        while (*at && *at != '-' && *at != ']' && (*at < '0' || *at > '9')) at++;
    };
    vector<int> nums;
    for (skip(); *at && *at != ']'; skip()) nums.push_back((int)number());
    if (*at) at++;
    skip();
    long long target = number();
    long long result = Solution().countPairs(nums, target);
    printf("%lld\n", result);
}
