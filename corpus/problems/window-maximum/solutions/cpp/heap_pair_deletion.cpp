// One heap of arrivals and one heap of departures, cancelling equal tops.
#include <algorithm>
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    vector<int> a(n);
    for (int i = 0; i < n; i++)
        if (scanf("%d", &a[i]) != 1) return 1;
    vector<int> live(a.begin(), a.begin() + k), dead;
    make_heap(live.begin(), live.end());
    printf("%d", live.front());
    for (int i = k; i < n; i++) {
        live.push_back(a[i]);
        push_heap(live.begin(), live.end());
        dead.push_back(a[i - k]);
        push_heap(dead.begin(), dead.end());
        while (!dead.empty() && dead.front() == live.front()) {
            pop_heap(dead.begin(), dead.end());
            dead.pop_back();
            pop_heap(live.begin(), live.end());
            live.pop_back();
        }
        printf(" %d", live.front());
    }
    printf("\n");
}
