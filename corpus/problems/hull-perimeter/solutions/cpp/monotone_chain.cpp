// Monotone chain in one array: lower hull, then upper hull.
#include <bits/stdc++.h>
using namespace std;

struct Point {
    long x, y;
    bool operator<(const Point& o) const { return x != o.x ? x < o.x : y < o.y; }
    bool operator==(const Point& o) const { return x == o.x && y == o.y; }
};

static long cross(const Point& a, const Point& b, const Point& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double distance(const Point& a, const Point& b) { return hypot(double(a.x - b.x), double(a.y - b.y)); }

static double perimeter(vector<Point> p) {
    sort(p.begin(), p.end());
    p.erase(unique(p.begin(), p.end()), p.end());
    int n = (int)p.size(), k = 0;
    if (n == 1) return 0;
    vector<Point> hull(2 * n);
    for (int i = 0; i < n; ++i) {
        while (k > 1 && cross(hull[k - 2], hull[k - 1], p[i]) <= 0) --k;
        hull[k++] = p[i];
    }
    int base = k;
    for (int i = n - 2; i >= 0; --i) {
        while (k > base && cross(hull[k - 2], hull[k - 1], p[i]) <= 0) --k;
        hull[k++] = p[i];
    }
    double total = 0;
    for (int i = 1; i < k; ++i) total += distance(hull[i - 1], hull[i]);
    return total;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<Point> points(n);
    for (Point& p : points) cin >> p.x >> p.y;
    cout << fixed << setprecision(8) << perimeter(points) << endl;
    return 0;
}
