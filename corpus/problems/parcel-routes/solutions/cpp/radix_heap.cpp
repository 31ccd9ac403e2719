// Dijkstra with a radix heap; roads as a linked forward star in arrays.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
using namespace std;

struct RadixHeap {
    vector<pair<uint64_t, int>> bucket[65];
    uint64_t last = 0;
    size_t held = 0;
    static int slot(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }
    void push(uint64_t key, int v) {
        bucket[slot(key ^ last)].push_back({key, v});
        held++;
    }
    pair<uint64_t, int> pop() {
        if (bucket[0].empty()) {
            int k = 1;
            while (bucket[k].empty()) k++;
            last = bucket[k][0].first;
            for (auto& e : bucket[k])
                if (e.first < last) last = e.first;
            for (auto& e : bucket[k]) bucket[slot(e.first ^ last)].push_back(e);
            bucket[k].clear();
        }
        auto e = bucket[0].back();
        bucket[0].pop_back();
        held--;
        return e;
    }
};

static int readInt() {
    int c = getchar_unlocked(), x = 0;
    while (c < '0') c = getchar_unlocked();
    for (; c >= '0'; c = getchar_unlocked()) x = x * 10 + c - '0';
    return x;
}

int main() {
    int n = readInt(), m = readInt();
    vector<int> first(n + 1, -1), next(m), to(m), length(m);
    for (int e = 0; e < m; e++) {
        int a = readInt();
        to[e] = readInt();
        length[e] = readInt();
        next[e] = first[a];
        first[a] = e;
    }
    vector<uint64_t> dist(n + 1, UINT64_MAX);
    RadixHeap heap;
    dist[1] = 0;
    heap.push(0, 1);
    while (heap.held) {
        auto top = heap.pop();
        int v = top.second;
        if (top.first != dist[v]) continue;
        for (int e = first[v]; e >= 0; e = next[e]) {
            uint64_t t = top.first + length[e];
            if (t < dist[to[e]]) {
                dist[to[e]] = t;
                heap.push(t, to[e]);
            }
        }
    }
    string out;
    for (int v = 1; v <= n; v++) {
        if (v > 1) out += ' ';
        out += dist[v] == UINT64_MAX ? string("-1") : to_string(dist[v]);
    }
    puts(out.c_str());
}
