// The standard stable sort on a vector of owned records.
use std::io::{self, BufRead, Write};

struct Record {
    name: String,
    score: i32,
}

fn main() {
    let stdin = io::stdin();
    let mut lines = stdin.lock().lines();
    let n: usize = lines.next().unwrap().unwrap().trim().parse().unwrap();
    let mut records = Vec::new();
    for _ in 0..n {
        let line = lines.next().unwrap().unwrap();
        let mut parts = line.split_whitespace();
        let name = parts.next().unwrap().to_string();
        let score = parts.next().unwrap().parse().unwrap();
        records.push(Record { name, score });
    }
    records.sort_by(|a, b| b.score.cmp(&a.score));
    let mut out = io::BufWriter::new(io::stdout());
    for (i, r) in records.iter().enumerate() {
        writeln!(out, "{} {} {}", i + 1, r.name, r.score).unwrap();
    }
}
