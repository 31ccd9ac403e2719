// Divide and conquer on the sorted points: join the chains of the two halves.
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

struct Chains {
    vector<Point> lower, upper;
};

static void join(vector<Point>& chain, const vector<Point>& tail, int sign) {
    for (const Point& p : tail) {
        while (chain.size() > 1 && sign * cross(chain[chain.size() - 2], chain.back(), p) <= 0) chain.pop_back();
        chain.push_back(p);
    }
}

static Chains solve(const vector<Point>& p, size_t lo, size_t hi) {
    if (hi - lo == 1) return {{p[lo]}, {p[lo]}};
    size_t mid = (lo + hi) / 2;
    Chains left = solve(p, lo, mid), right = solve(p, mid, hi);
    join(left.lower, right.lower, 1);
    join(left.upper, right.upper, -1);
    return left;
}

static double perimeter(vector<Point> p) {
    sort(p.begin(), p.end());
    p.erase(unique(p.begin(), p.end()), p.end());
    Chains hull = solve(p, 0, p.size());
    double total = 0;
    for (const auto* chain : {&hull.lower, &hull.upper})
        for (size_t i = 1; i < chain->size(); ++i) total += distance((*chain)[i - 1], (*chain)[i]);
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
    cout << fixed << setprecision(8) << perimeter(points) << endl;
    return 0;
}
