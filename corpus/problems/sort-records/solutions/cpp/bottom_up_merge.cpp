// Bottom-up merge sort on indices with two alternating buffers.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    int n = (int)s.size();
    vector<int> from(n), to(n);
    iota(from.begin(), from.end(), 0);
    for (int width = 1; width < n; width *= 2) {
        for (int lo = 0; lo < n; lo += 2 * width) {
            int mid = min(n, lo + width), hi = min(n, lo + 2 * width);
            int i = lo, j = mid;
            for (int k = lo; k < hi; ++k)
                to[k] = j >= hi || (i < mid && s[from[i]] >= s[from[j]]) ? from[i++] : from[j++];
        }
        swap(from, to);
    }
    return from;
}

int main() {
    string line;
    getline(cin, line);
    int n = stoi(line);
    vector<string> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) {
        getline(cin, line);
        istringstream fields(line);
        fields >> names[i] >> scores[i];
    }
    vector<int> order = sort_order(scores);
    string out;
    for (int i = 0; i < n; ++i) {
        int k = order[i];
        out += to_string(i + 1) + " " + string(names[k]) + " " + to_string(scores[k]) + "\n";
    }
    cout << out;
    return 0;
}
