// LSD radix sort by decimal digits, one queue per digit.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    int n = (int)s.size();
    vector<int> order(n);
    iota(order.begin(), order.end(), 0);
    long long unit = 1;
    for (int digit = 0; digit < 10; ++digit, unit *= 10) {
        queue<int> box[10];
        for (int i : order) box[(1000000000LL - s[i]) / unit % 10].push(i);
        order.clear();
        for (auto& q : box)
            for (; !q.empty(); q.pop()) order.push_back(q.front());
    }
    return order;
}

int main() {
    int n;
    cin >> n;
    vector<string> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) cin >> names[i] >> scores[i];
    vector<int> order = sort_order(scores);
    ostringstream out;
    int place = 0;
    for (int k : order) out << ++place << " " << names[k] << " " << scores[k] << "\n";
    fputs(out.str().c_str(), stdout);
    return 0;
}
