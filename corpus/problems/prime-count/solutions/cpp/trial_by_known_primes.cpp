// Every odd number once, divided by the primes found so far up to its root.
#include <algorithm>
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 0;
    vector<int> l(q), r(q);
    for (int i = 0; i < q; i++)
        if (scanf("%d %d", &l[i], &r[i]) != 2) return 0;
    int top = *max_element(r.begin(), r.end());
    vector<unsigned> primes{2, 3};
    for (unsigned v = 5; v <= (unsigned)top; v += 2) {
        bool ok = true;
        for (size_t i = 1; primes[i] * primes[i] <= v; i++)
            if (v % primes[i] == 0) {
                ok = false;
                break;
            }
        if (ok) primes.push_back(v);
    }
    for (int i = 0; i < q; i++) {
        auto hi = upper_bound(primes.begin(), primes.end(), (unsigned)r[i]);
        auto lo = lower_bound(primes.begin(), primes.end(), (unsigned)l[i]);
        printf("%d\n", (int)(hi - lo));
    }
}
