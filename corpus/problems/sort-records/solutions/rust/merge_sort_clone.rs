// Recursive merge sort that clones the records on every level.
use std::io::{self, BufRead};

#[derive(Clone)]
struct Row {
    name: String,
    score: i64,
}

fn merge_sort(rows: &[Row]) -> Vec<Row> {
    if rows.len() < 2 {
        return rows.to_vec();
    }
    let (a, b) = rows.split_at(rows.len() / 2);
    let (a, b) = (merge_sort(a), merge_sort(b));
    let (mut i, mut j) = (0, 0);
    let mut merged = Vec::new();
    while i < a.len() && j < b.len() {
        if a[i].score >= b[j].score {
            merged.push(a[i].clone());
            i += 1;
        } else {
            merged.push(b[j].clone());
            j += 1;
        }
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged
}

fn main() {
    let stdin = io::stdin();
    let rows: Vec<Row> = stdin
        .lock()
        .lines()
        .skip(1)
        .map(|line| {
            let line = line.unwrap();
            let gap = line.find(' ').unwrap();
            Row { name: line[..gap].to_string(), score: line[gap + 1..].trim().parse().unwrap() }
        })
        .collect();
    let lines: Vec<String> =
        merge_sort(&rows).iter().enumerate().map(|(i, r)| format!("{} {} {}", i + 1, r.name, r.score)).collect();
    println!("{}", lines.join("\n"));
}
