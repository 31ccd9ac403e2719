// A BTreeMap from x to the lowest and highest y, then two chains over the columns.
use std::collections::BTreeMap;
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
    let mut columns: BTreeMap<i64, Point> = BTreeMap::new();
    for (x, y) in points {
        let c = columns.entry(x).or_insert((y, y));
        c.0 = c.0.min(y);
        c.1 = c.1.max(y);
    }
    let west = columns.values().next().unwrap();
    let east = columns.values().next_back().unwrap();
    (west.1 - west.0 + east.1 - east.0) as f64
        + chain(columns.iter().map(|(&x, c)| (x, c.0)))
        + chain(columns.iter().rev().map(|(&x, c)| (x, c.1)))
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap();
    let points: Vec<Point> = (0..n).map(|_| (numbers.next().unwrap(), numbers.next().unwrap())).collect();
    println!("{:.9}", perimeter(points));
}
