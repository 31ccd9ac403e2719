#include <bits/stdc++.h>
using namespace std;

// ==Code Submission==

int main() {
    int n = 0;
    if (scanf("%d", &n) != 1) return 1;
    printf("%lld\n", (long long)Solution().totientSum(n));
    return 0;
}
