// Quickhull with an explicit stack of (edge, outside points).
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

struct Job {
    Point a, b;
    vector<Point> outside;
};

static double perimeter(vector<Point> p) {
    Point a = *min_element(p.begin(), p.end()), b = *max_element(p.begin(), p.end());
    if (a == b) return 0;
    Job up{a, b, {}}, down{b, a, {}};
    for (const Point& q : p) {
        long side = cross(a, b, q);
        if (side > 0) up.outside.push_back(q);
        if (side < 0) down.outside.push_back(q);
    }
    vector<Job> stack{up, down};
    double total = 0;
    while (!stack.empty()) {
        Job job = move(stack.back());
        stack.pop_back();
        if (job.outside.empty()) {
            total += distance(job.a, job.b);
            continue;
        }
        Point far = job.outside[0];
        for (const Point& q : job.outside)
            if (cross(job.a, job.b, q) > cross(job.a, job.b, far)) far = q;
        Job first{job.a, far, {}}, second{far, job.b, {}};
        for (const Point& q : job.outside) {
            if (cross(job.a, far, q) > 0) first.outside.push_back(q);
            else if (cross(far, job.b, q) > 0) second.outside.push_back(q);
        }
        stack.push_back(move(first));
        stack.push_back(move(second));
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
