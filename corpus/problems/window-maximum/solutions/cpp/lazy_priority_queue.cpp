// Priority queue of (value, index); a top that left the window is dropped late.
#include <iostream>
#include <queue>
#include <utility>
#include <vector>
using namespace std;

int main() {
    int n, k;
    cin >> n >> k;
    priority_queue<pair<int, int>> heap;
    vector<int> res;
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        heap.push({x, i});
        while (heap.top().second <= i - k) heap.pop();
        if (i >= k - 1) res.push_back(heap.top().first);
    }
    for (size_t i = 0; i < res.size(); i++) cout << res[i] << " \n"[i + 1 == res.size()];
}
