// Tests for every ordered pair of points whether all others lie on one side.
use std::collections::HashSet;
use std::io::{self, Read};

type Point = (i64, i64);

fn cross(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn distance(a: Point, b: Point) -> f64 {
    ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64)
}

fn perimeter(points: Vec<Point>) -> f64 {
    let mut seen = HashSet::new();
    let distinct: Vec<Point> = points.into_iter().filter(|&p| seen.insert(p)).collect();
    let mut total = 0.0;
    for &a in &distinct {
        for &b in &distinct {
            let edge = a != b
                && distinct.iter().all(|&c| {
                    let turn = cross(a, b, c);
                    turn > 0 || turn == 0 && (c.0 - a.0) * (c.0 - b.0) + (c.1 - a.1) * (c.1 - b.1) <= 0
                });
            if edge {
                total += distance(a, b);
            }
        }
    }
    total
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap();
    let points: Vec<Point> = (0..n).map(|_| (numbers.next().unwrap(), numbers.next().unwrap())).collect();
    println!("{:.9}", perimeter(points));
}
