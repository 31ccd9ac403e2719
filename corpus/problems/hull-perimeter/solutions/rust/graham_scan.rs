// Graham scan around the lowest point with exact angular comparison.
use std::io::{self, BufRead};

type Point = (i64, i64);

fn cross(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn distance(a: Point, b: Point) -> f64 {
    ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64)
}

fn perimeter(mut points: Vec<Point>) -> f64 {
    let pivot = *points.iter().min_by_key(|p| (p.1, p.0)).unwrap();
    points.retain(|&p| p != pivot);
    let far = |p: &Point| (p.0 - pivot.0).pow(2) + (p.1 - pivot.1).pow(2);
    points.sort_by(|a, b| cross(pivot, *b, *a).cmp(&0).then_with(|| far(a).cmp(&far(b))));
    let mut hull = vec![pivot];
    for p in points {
        while hull.len() > 1 && cross(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0 {
            hull.pop();
        }
        hull.push(p);
    }
    (0..hull.len()).map(|i| distance(hull[i], hull[(i + 1) % hull.len()])).sum()
}

fn main() {
    let stdin = io::stdin();
    let mut points: Vec<Point> = Vec::new();
    for line in stdin.lock().lines().skip(1) {
        let line = line.unwrap();
        let parts: Vec<i64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        points.push((parts[0], parts[1]));
    }
    println!("{:.9}", perimeter(points));
}
