// Divide and conquer on the ordered set of points: join the chains of the two halves.
use std::collections::BTreeSet;
use std::io::{self, BufRead};

type Point = (i64, i64);

fn cross(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn distance(a: Point, b: Point) -> f64 {
    ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64)
}

fn join(mut chain: Vec<Point>, tail: Vec<Point>, sign: i64) -> Vec<Point> {
    for p in tail {
        while chain.len() > 1 && sign * cross(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0 {
            chain.pop();
        }
        chain.push(p);
    }
    chain
}

fn solve(points: &[Point], sign: i64) -> Vec<Point> {
    if points.len() == 1 {
        return points.to_vec();
    }
    let (left, right) = points.split_at(points.len() / 2);
    join(solve(left, sign), solve(right, sign), sign)
}

fn perimeter(points: Vec<Point>) -> f64 {
    let set: BTreeSet<Point> = points.into_iter().collect();
    let sorted: Vec<Point> = set.into_iter().collect();
    let mut total = 0.0;
    for sign in [1, -1] {
        let half = solve(&sorted, sign);
        for i in 1..half.len() {
            total += distance(half[i - 1], half[i]);
        }
    }
    total
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
