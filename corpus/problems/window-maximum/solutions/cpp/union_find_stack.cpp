// Tarjan's offline range maximum: stack losers point to the winner that popped them.
#include <cstdio>
#include <iostream>
#include <vector>
using namespace std;

int main() {
    int n, k;
    cin >> n >> k;
    vector<int> a(n), up(n), st;
    st.reserve(n);
    for (int i = 0; i < n; i++) {
        cin >> a[i];
        up[i] = i;
        while (!st.empty() && a[st.back()] <= a[i]) {
            up[st.back()] = i;
            st.pop_back();
        }
        st.push_back(i);
        if (i < k - 1) continue;
        int v = i - k + 1;
        while (up[v] != v) {
            up[v] = up[up[v]];
            v = up[v];
        }
        printf("%d%c", a[v], i + 1 == n ? '\n' : ' ');
    }
}
