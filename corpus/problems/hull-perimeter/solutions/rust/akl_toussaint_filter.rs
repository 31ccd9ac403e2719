// Throw away the points inside the quadrilateral of extreme points before sorting.
use std::io::{self, Read};

type Point = (i64, i64);

fn cross(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn distance(a: Point, b: Point) -> f64 {
    ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64)
}

fn chain<I: Iterator<Item = Point>>(points: I) -> f64 {
    let mut hull: Vec<Point> = Vec::new();
    for p in points {
        while hull.len() > 1 && cross(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0 {
            hull.pop();
        }
        hull.push(p);
    }
    hull.windows(2).map(|w| distance(w[0], w[1])).sum()
}

fn perimeter(points: Vec<Point>) -> f64 {
    let corner = [
        *points.iter().min_by_key(|p| p.0 + p.1).unwrap(),
        *points.iter().max_by_key(|p| p.0 - p.1).unwrap(),
        *points.iter().max_by_key(|p| p.0 + p.1).unwrap(),
        *points.iter().min_by_key(|p| p.0 - p.1).unwrap(),
    ];
    let mut kept: Vec<Point> =
        points.into_iter().filter(|&p| (0..4).any(|i| cross(corner[i], corner[(i + 1) % 4], p) <= 0)).collect();
    kept.sort();
    let lower = chain(kept.iter().copied());
    kept.reverse();
    lower + chain(kept.into_iter())
}

fn main() {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).unwrap();
    let mut numbers = Vec::new();
    let (mut value, mut negative, mut inside) = (0i64, false, false);
    for &b in bytes.iter().chain(b"\n") {
        match b {
            b'-' => negative = true,
            b'0'..=b'9' => {
                value = value * 10 + (b - b'0') as i64;
                inside = true;
            }
            _ if inside => {
                numbers.push(if negative { -value } else { value });
                value = 0;
                negative = false;
                inside = false;
            }
            _ => {}
        }
    }
    let points: Vec<Point> = numbers[1..].chunks(2).map(|c| (c[0], c[1])).collect();
    println!("{:.9}", perimeter(points));
}
