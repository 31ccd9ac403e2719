// Byte sieve over all numbers and pi(x) for every x as 32-bit integers.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    const int N = 2000000;
    vector<char> composite(N + 1, 0);
    composite[0] = composite[1] = 1;
    for (int i = 2; i * i <= N; i++)
        if (!composite[i])
            for (int j = i * i; j <= N; j += i) composite[j] = 1;
    vector<int> pi(N + 1, 0);
    for (int i = 1; i <= N; i++) pi[i] = pi[i - 1] + !composite[i];
    int q;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        int l, r;
        if (scanf("%d %d", &l, &r) != 2) return 0;
        printf("%d\n", pi[r] - pi[l - 1]);
    }
}
