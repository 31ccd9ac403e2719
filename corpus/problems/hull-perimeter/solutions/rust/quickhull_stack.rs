// Quickhull with an explicit stack of edges and outside points.
use std::io::{self, Read};

type Point = (i64, i64);

fn cross(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn distance(a: Point, b: Point) -> f64 {
    ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64)
}

fn perimeter(points: Vec<Point>) -> f64 {
    let a = *points.iter().min().unwrap();
    let b = *points.iter().max().unwrap();
    if a == b {
        return 0.0;
    }
    let below = points.clone();
    let mut stack = vec![(a, b, points), (b, a, below)];
    let mut total = 0.0;
    while let Some((a, b, candidates)) = stack.pop() {
        let outside: Vec<Point> = candidates.into_iter().filter(|&p| cross(a, b, p) > 0).collect();
        match outside.iter().max_by_key(|&&p| cross(a, b, p)) {
            None => total += distance(a, b),
            Some(&far) => {
                stack.push((a, far, outside.clone()));
                stack.push((far, b, outside));
            }
        }
    }
    total
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
