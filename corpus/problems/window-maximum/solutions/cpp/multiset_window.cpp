// Red-black tree with all values of the window.
#include <iostream>
#include <set>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, k;
    cin >> n >> k;
    vector<int> a(n);
    for (auto& x : a) cin >> x;
    multiset<int> window(a.begin(), a.begin() + k);
    cout << *window.rbegin();
    for (int i = k; i < n; i++) {
        window.erase(window.find(a[i - k]));
        window.insert(a[i]);
        cout << ' ' << *window.rbegin();
    }
    cout << '\n';
}
