// Drop the points strictly inside the octagon of extreme points, then run monotone chains on the rest.
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

static double chain_length(const vector<Point>& sorted) {
    vector<Point> hull;
    for (const Point& p : sorted) {
        while (hull.size() > 1 && cross(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
        hull.push_back(p);
    }
    double total = 0;
    for (size_t i = 1; i < hull.size(); ++i) total += distance(hull[i - 1], hull[i]);
    return total;
}

static double perimeter(vector<Point> p) {
    const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    vector<Point> corner;
    for (int d = 0; d < 8; ++d) {
        Point best = p[0];
        for (const Point& q : p)
            if (q.x * dx[d] + q.y * dy[d] > best.x * dx[d] + best.y * dy[d]) best = q;
        if (corner.empty() || !(corner.back() == best)) corner.push_back(best);
    }
    vector<Point> kept;
    for (const Point& q : p) {
        bool inside = corner.size() > 2;
        for (size_t i = 0; inside && i < corner.size(); ++i) {
            const Point& next = corner[(i + 1) % corner.size()];
            inside = next == corner[i] || cross(corner[i], next, q) > 0;
        }
        if (!inside) kept.push_back(q);
    }
    sort(kept.begin(), kept.end());
    double lower = chain_length(kept);
    reverse(kept.begin(), kept.end());
    return lower + chain_length(kept);
}

int main() {
    static char text[1 << 21];
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    char* at = text;
    auto next = [&at] {
        while (*at && *at <= ' ') ++at;
        bool negative = *at == '-';
        if (negative) ++at;
        long value = 0;
        while (*at >= '0') value = value * 10 + (*at++ - '0');
        return negative ? -value : value;
    };
    int n = (int)next();
    vector<Point> points(n);
    for (Point& p : points) {
        p.x = next();
        p.y = next();
    }
    printf("%.9f\n", perimeter(points));
    return 0;
}
