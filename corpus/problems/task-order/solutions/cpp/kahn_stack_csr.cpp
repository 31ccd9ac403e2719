// Compressed rows and fast input; the free tasks form a stack that shares its
// storage with the answer.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const int MAXN = 50000, MAXM = 120000;
static int src[MAXM], dst[MAXM], to[MAXM], first[MAXN + 2], need[MAXN + 1], order[MAXN], stack_[MAXN];

static int read_int() {
    int c = getchar_unlocked();
    while (c < '0') c = getchar_unlocked();
    int v = 0;
    for (; c >= '0'; c = getchar_unlocked()) v = v * 10 + c - '0';
    return v;
}

int main() {
    int n = read_int(), m = read_int();
    for (int i = 0; i < m; i++) {
        src[i] = read_int();
        dst[i] = read_int();
        first[src[i]]++;
        need[dst[i]]++;
    }
    for (int v = 1; v <= n + 1 && v < MAXN + 2; v++) first[v] += first[v - 1];
    for (int i = 0; i < m; i++) to[--first[src[i]]] = dst[i];
    int top = 0, count = 0;
    for (int v = 1; v <= n; v++)
        if (!need[v]) stack_[top++] = v;
    while (top) {
        int v = stack_[--top];
        order[count++] = v;
        for (int e = first[v]; e < first[v + 1]; e++)
            if (--need[to[e]] == 0) stack_[top++] = to[e];
    }
    if (count < n) {
        puts("IMPOSSIBLE");
        return 0;
    }
    char *text = (char *)malloc(7 * n + 2), *p = text;
    for (int i = 0; i < n; i++) p += sprintf(p, i ? " %d" : "%d", order[i]);
    *p = 0;
    puts(text);
    free(text);
}
