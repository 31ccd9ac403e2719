// Monotone chain with 32-bit cross products.
use std::io::{self, Read};

type Point = (i64, i64);

fn distance(a: Point, b: Point) -> f64 {
    ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64)
}

fn half<'a, I: Iterator<Item = &'a Point>>(points: I) -> f64 {
    let mut hull: Vec<Point> = Vec::new();
    for &p in points {
        while hull.len() > 1 {
            let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
            let turn = ((b.0 - a.0) * (p.1 - a.1)) as i32 as i64 - ((b.1 - a.1) * (p.0 - a.0)) as i32 as i64;
            if turn > 0 {
                break;
            }
            hull.pop();
        }
        hull.push(p);
    }
    hull.windows(2).map(|w| distance(w[0], w[1])).sum()
}

fn perimeter(mut points: Vec<Point>) -> f64 {
    points.sort();
    half(points.iter()) + half(points.iter().rev())
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap();
    let points: Vec<Point> = (0..n).map(|_| (numbers.next().unwrap(), numbers.next().unwrap())).collect();
    println!("{:.9}", perimeter(points));
}
