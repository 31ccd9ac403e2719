// Chase links to the next greater element; the chase never has to restart.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

int main() {
    std::string s;
    char buf[1 << 16];
    for (ssize_t c; (c = read(0, buf, sizeof buf)) > 0;) s.append(buf, c);
    char* p = &s[0];
    int n = strtol(p, &p, 10), k = strtol(p, &p, 10);
    std::vector<int> a(n), nxt(n);
    for (int& x : a) x = strtol(p, &p, 10);
    for (int i = n - 1; i >= 0; i--) {
        int j = i + 1;
        while (j < n && a[j] <= a[i]) j = nxt[j];
        nxt[i] = j;
    }
    std::string out;
    int j = 0;
    for (int i = 0; i + k <= n; i++) {
        if (j < i) j = i;
        while (nxt[j] < i + k) j = nxt[j];
        char w[16];
        out.append(w, snprintf(w, sizeof w, i ? " %d" : "%d", a[j]));
    }
    puts(out.c_str());
}
