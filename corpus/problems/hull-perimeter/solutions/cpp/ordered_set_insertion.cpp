// Insert the points one by one into a lower and an upper hull kept in ordered maps.
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

static void add(map<long, long>& hull, long x, long y) {
    auto at = hull.find(x);
    if (at != hull.end()) {
        if (at->second <= y) return;
        hull.erase(at);
    }
    auto right = hull.lower_bound(x);
    if (right != hull.end() && right != hull.begin()) {
        auto left = prev(right);
        if (cross({left->first, left->second}, {right->first, right->second}, {x, y}) >= 0) {
            return;
        }
    }
    at = hull.emplace(x, y).first;
    for (;;) {
        auto one = next(at);
        if (one == hull.end() || next(one) == hull.end()) break;
        auto two = next(one);
        if (cross({x, y}, {one->first, one->second}, {two->first, two->second}) > 0) break;
        hull.erase(one);
    }
    while (at != hull.begin() && prev(at) != hull.begin()) {
        auto one = prev(at), two = prev(one);
        if (cross({two->first, two->second}, {one->first, one->second}, {x, y}) > 0) break;
        hull.erase(one);
    }
}

static double perimeter(const vector<Point>& p) {
    map<long, long> lower, upper;
    for (const Point& q : p) {
        add(lower, q.x, q.y);
        add(upper, q.x, -q.y);
    }
    double total = double(-upper.begin()->second - lower.begin()->second) + double(-upper.rbegin()->second - lower.rbegin()->second);
    for (auto* hull : {&lower, &upper})
        for (auto a = hull->begin(), b = next(a); b != hull->end(); ++a, ++b)
            total += distance({a->first, a->second}, {b->first, b->second});
    return total;
}

int main() {
    int n;
    cin >> n;
    vector<Point> points;
    for (int i = 0; i < n; ++i) {
        Point p;
        cin >> p.x >> p.y;
        points.push_back(p);
    }
    printf("%.9f\n", perimeter(points));
    return 0;
}
