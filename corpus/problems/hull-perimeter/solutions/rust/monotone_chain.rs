// Monotone chains over the sorted points in both directions.
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

fn perimeter(mut points: Vec<Point>) -> f64 {
    points.sort_unstable();
    points.dedup();
    chain(points.iter().copied()) + chain(points.iter().rev().copied())
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap();
    let points: Vec<Point> = (0..n).map(|_| (numbers.next().unwrap(), numbers.next().unwrap())).collect();
    println!("{:.9}", perimeter(points));
}
