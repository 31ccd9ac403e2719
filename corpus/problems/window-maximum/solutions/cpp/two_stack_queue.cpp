// Queue from two stacks, both carrying the maximum below each element.
#include <algorithm>
#include <cstdio>
#include <stack>
#include <utility>
#include <vector>
using namespace std;

class MaxQueue {
    stack<pair<int, int>, vector<pair<int, int>>> in, out;
    static void put(stack<pair<int, int>, vector<pair<int, int>>>& s, int x) {
        s.push({x, s.empty() ? x : max(x, s.top().second)});
    }

public:
    void push(int x) { put(in, x); }
    void pop() {
        if (out.empty())
            while (!in.empty()) {
                put(out, in.top().first);
                in.pop();
            }
        out.pop();
    }
    int best() const {
        if (in.empty()) return out.top().second;
        if (out.empty()) return in.top().second;
        return max(in.top().second, out.top().second);
    }
};

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    MaxQueue q;
    for (int i = 0, x; i < n && scanf("%d", &x) == 1; i++) {
        q.push(x);
        if (i >= k) q.pop();
        if (i + 1 >= k) printf("%d ", q.best());
    }
    printf("\n");
}
