// std::bitset sieve copied into words; popcount prefix per block of 512 numbers.
#include <bits/stdc++.h>
using namespace std;

static const int N = 2000000;
static const int WORDS = N / 64 + 9;
static bitset<N + 1> prime_bits;
static uint64_t words_[WORDS];
static int before_[WORDS / 8 + 2];

static int pi(int x) {
    int end = x + 1, block = end >> 9;
    int total = before_[block];
    int w = block * 8, last = end >> 6;
    for (; w < last; w++) total += __builtin_popcountll(words_[w]);
    if (end & 63) total += __builtin_popcountll(words_[w] & ((1ULL << (end & 63)) - 1));
    return total;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    prime_bits.set();
    prime_bits[0] = prime_bits[1] = 0;
    for (int p = 2; p * p <= N; p++)
        if (prime_bits[p])
            for (int m = p * p; m <= N; m += p) prime_bits.reset(m);
    for (int v = prime_bits._Find_first(); v <= N; v = prime_bits._Find_next(v))
        words_[v >> 6] |= 1ULL << (v & 63);
    for (int w = 0; w + 8 <= WORDS; w += 8) {
        int s = 0;
        for (int k = 0; k < 8; k++) s += __builtin_popcountll(words_[w + k]);
        before_[w / 8 + 1] = before_[w / 8] + s;
    }
    int q, l, r;
    cin >> q;
    while (q--) {
        cin >> l >> r;
        cout << pi(r) - pi(l - 1) << '\n';
    }
}
