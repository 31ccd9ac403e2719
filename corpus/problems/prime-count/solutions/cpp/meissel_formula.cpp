// Meissel's formula: pi(x) from phi(x, a) and a sum over the primes between the
// cube root and the square root. Only a table up to 40000 is sieved.
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>
using namespace std;

static const int T = 40000;
static int small_pi[T + 1];
static vector<int> primes;
static const int W = 6, PROD = 30030, TOT = 5760;
static int wheel[PROD + 1];

static int phi(int x, int a) {
    if (a == W) return x / PROD * TOT + wheel[x % PROD];
    int p = primes[a - 1];
    if (x < p) return x > 0;
    if (x <= T && x < primes[a] * primes[a]) return small_pi[x] - a + 1;
    return phi(x, a - 1) - phi(x / p, a - 1);
}

static int pi(int x) {
    if (x <= T) return small_pi[x];
    int c = 1;
    while ((c + 1) * (c + 1) * (c + 1) <= x) c++;
    int a = small_pi[c];
    int t = phi(x, a) + a - 1;
    for (int k = a; primes[k] * primes[k] <= x; k++) t -= small_pi[x / primes[k]] - k;
    return t;
}

int main() {
    vector<char> comp(T + 1, 0);
    for (int i = 2; i <= T; i++) {
        small_pi[i] = small_pi[i - 1];
        if (comp[i]) continue;
        small_pi[i]++;
        primes.push_back(i);
        for (int j = 2 * i; j <= T; j += i) comp[j] = 1;
    }
    for (int i = 1; i <= PROD; i++) {
        bool ok = i % 2 && i % 3 && i % 5 && i % 7 && i % 11 && i % 13;
        wheel[i] = wheel[i - 1] + ok;
    }
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        if (scanf("%d %d", &l, &r) != 2) return 0;
        printf("%d\n", pi(r) - pi(l - 1));
    }
}
