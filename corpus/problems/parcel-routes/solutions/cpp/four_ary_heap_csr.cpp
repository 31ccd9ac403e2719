// Dijkstra with an indexed 4-ary heap (decrease-key) over compressed rows, input and output by block.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static char text[1 << 21];
static char* cursor = text;

static int number() {
    while (*cursor < '0') cursor++;
    int x = 0;
    while (*cursor >= '0') x = x * 10 + (*cursor++ - '0');
    return x;
}

static const int N = 10002, M = 40000;
static int from[M], to[M], len[M], start[N + 1], head[M], weight[M];
static int heap[N], place[N], held;
static long long dist[N];

static void up(int i, int v) {
    while (i > 0) {
        int p = (i - 1) >> 2;
        if (dist[heap[p]] <= dist[v]) break;
        heap[i] = heap[p];
        place[heap[i]] = i;
        i = p;
    }
    heap[i] = v;
    place[v] = i;
}

static void down(int i, int v) {
    for (;;) {
        int c = 4 * i + 1;
        if (c >= held) break;
        int end = c + 4 < held ? c + 4 : held, best = c;
        for (int k = c + 1; k < end; k++)
            if (dist[heap[k]] < dist[heap[best]]) best = k;
        if (dist[heap[best]] >= dist[v]) break;
        heap[i] = heap[best];
        place[heap[i]] = i;
        i = best;
    }
    heap[i] = v;
    place[v] = i;
}

int main() {
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    int n = number(), m = number();
    for (int e = 0; e < m; e++) {
        from[e] = number();
        to[e] = number();
        len[e] = number();
        start[from[e] + 1]++;
    }
    for (int v = 1; v <= n + 1; v++) start[v] += start[v - 1];
    std::vector<int> next(start, start + n + 1);
    for (int e = 0; e < m; e++) {
        int k = next[from[e]]++;
        head[k] = to[e];
        weight[k] = len[e];
    }
    memset(place, -1, sizeof place);
    for (int v = 1; v <= n; v++) dist[v] = -1;
    dist[1] = 0;
    held = 1;
    up(0, 1);
    while (held) {
        int v = heap[0], tail = heap[--held];
        if (held) down(0, tail);
        for (int k = start[v]; k < start[v + 1]; k++) {
            int u = head[k];
            long long t = dist[v] + weight[k];
            if (dist[u] < 0) {
                dist[u] = t;
                up(held++, u);
            } else if (t < dist[u]) {
                dist[u] = t;
                up(place[u], u);
            }
        }
    }
    std::string out;
    for (int v = 1; v <= n; v++) {
        out += std::to_string(dist[v]);
        out += v == n ? '\n' : ' ';
    }
    fwrite(out.data(), 1, out.size(), stdout);
}
