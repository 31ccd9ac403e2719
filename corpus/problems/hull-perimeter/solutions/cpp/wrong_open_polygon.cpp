// Monotone chain; the lengths of the sides of the polygon are added up.
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
    vector<Point> hull;
    for (int round = 0; round < 2; ++round) {
        size_t base = hull.size();
        for (const Point& q : p) {
            while (hull.size() > base + 1 && cross(hull[hull.size() - 2], hull.back(), q) <= 0) hull.pop_back();
            hull.push_back(q);
        }
        hull.pop_back();
        reverse(p.begin(), p.end());
    }
    double total = 0;
    for (size_t i = 1; i < hull.size(); ++i) total += distance(hull[i - 1], hull[i]);
    return total;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<Point> points(n);
    for (Point& p : points) cin >> p.x >> p.y;
    printf("%.9f\n", perimeter(points));
    return 0;
}
