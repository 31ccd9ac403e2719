// Graham scan: sort by angle around the lowest point with exact cross products.
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
    auto low = min_element(p.begin(), p.end(), [](const Point& a, const Point& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    swap(*low, p[0]);
    Point pivot = p[0];
    auto far = [&](const Point& a) { return (a.x - pivot.x) * (a.x - pivot.x) + (a.y - pivot.y) * (a.y - pivot.y); };
    sort(p.begin() + 1, p.end(), [&](const Point& a, const Point& b) {
        long turn = cross(pivot, a, b);
        return turn != 0 ? turn > 0 : far(a) < far(b);
    });
    vector<Point> hull{pivot};
    for (const Point& q : p) {
        while (hull.size() > 1 && cross(hull[hull.size() - 2], hull.back(), q) <= 0) hull.pop_back();
        if (!(q == hull.back())) hull.push_back(q);
    }
    double total = 0;
    for (size_t i = 0; i < hull.size(); ++i) total += distance(hull[i], hull[(i + 1) % hull.size()]);
    return total;
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    vector<Point> points(n);
    for (Point& p : points)
        if (scanf("%ld %ld", &p.x, &p.y) != 2) return 1;
    printf("%.9f\n", perimeter(points));
    return 0;
}
