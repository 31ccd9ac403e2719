// Falling sequence in two flat static arrays; whole input by fread, whole output by fwrite.
#include <cstdio>

static char in[1 << 21], out[1 << 21];
static int val[100005], pos[100005];

int main() {
    size_t len = fread(in, 1, sizeof in - 1, stdin);
    in[len] = 0;
    const char* p = in;
    auto next = [&]() {
        while (*p != '-' && (*p < '0' || *p > '9')) p++;
        bool neg = *p == '-';
        if (neg) p++;
        int x = 0;
        while (*p >= '0' && *p <= '9') x = x * 10 + (*p++ - '0');
        return neg ? -x : x;
    };
    int n = next(), k = next();
    int head = 0, tail = 0;
    char* w = out;
    for (int i = 0; i < n; i++) {
        int x = next();
        while (tail > head && val[tail - 1] <= x) tail--;
        val[tail] = x;
        pos[tail++] = i;
        if (pos[head] <= i - k) head++;
        if (i < k - 1) continue;
        int y = val[head];
        unsigned u = y < 0 ? 0u - (unsigned)y : (unsigned)y;
        if (y < 0) *w++ = '-';
        char t[12];
        int c = 0;
        do t[c++] = '0' + u % 10; while (u /= 10);
        while (c) *w++ = t[--c];
        *w++ = ' ';
    }
    w[-1] = '\n';
    fwrite(out, 1, w - out, stdout);
}
