// Keep only the lowest and highest point of every x in a direct table, then scan the columns.
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

static double perimeter(const vector<Point>& p) {
    const long SHIFT = 1000000;
    vector<int> low(2 * SHIFT + 1, INT_MAX), high(2 * SHIFT + 1, INT_MIN);
    for (const Point& q : p) {
        low[q.x + SHIFT] = min<int>(low[q.x + SHIFT], (int)q.y);
        high[q.x + SHIFT] = max<int>(high[q.x + SHIFT], (int)q.y);
    }
    vector<Point> bottom, top;
    for (long c = 0; c <= 2 * SHIFT; ++c) {
        if (low[c] == INT_MAX) continue;
        bottom.push_back({c - SHIFT, low[c]});
        top.push_back({c - SHIFT, high[c]});
    }
    double total = distance(bottom[0], top[0]) + distance(bottom.back(), top.back());
    total += chain_length(bottom);
    reverse(top.begin(), top.end());
    return total + chain_length(top);
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
    cout << fixed << setprecision(8) << perimeter(points) << endl;
    return 0;
}
