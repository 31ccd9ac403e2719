// Binary lifting over next-greater links: from the window start take the longest jumps that stay inside.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int n, k;
    if (scanf("%d%d", &n, &k) != 2) return 1;
    vector<int> a(n);
    for (int& x : a)
        if (scanf("%d", &x) != 1) return 1;
    const int LOG = 17;
    vector<vector<int>> up(LOG, vector<int>(n + 1, n));
    vector<int> st;
    for (int i = 0; i < n; i++) {
        while (!st.empty() && a[st.back()] < a[i]) {
            up[0][st.back()] = i;
            st.pop_back();
        }
        st.push_back(i);
    }
    for (int l = 1; l < LOG; l++)
        for (int i = 0; i < n; i++) up[l][i] = up[l - 1][up[l - 1][i]];
    for (int s = 0; s + k <= n; s++) {
        int v = s;
        for (int l = LOG - 1; l >= 0; l--)
            if (up[l][v] < s + k) v = up[l][v];
        printf("%d%c", a[v], s + k == n ? '\n' : ' ');
    }
}
