// Tests for every ordered pair of points whether all others lie on one side.
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
    vector<Point> distinct;
    unordered_set<long> seen;
    for (const Point& q : p)
        if (seen.insert(q.x * 4000003 + q.y).second) distinct.push_back(q);
    double total = 0;
    for (const Point& a : distinct) {
        for (const Point& b : distinct) {
            bool edge = !(a == b);
            for (size_t k = 0; edge && k < distinct.size(); ++k) {
                const Point& c = distinct[k];
                long turn = cross(a, b, c);
                if (turn < 0) edge = false;
                else if (turn == 0) edge = (c.x - a.x) * (c.x - b.x) + (c.y - a.y) * (c.y - b.y) <= 0;
            }
            if (edge) total += distance(a, b);
        }
    }
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
