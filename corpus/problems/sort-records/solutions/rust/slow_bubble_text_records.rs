// Bubble sort of text records; the score is parsed again for every comparison.
use std::io::{self, Read};

struct Row {
    name: String,
    score: String,
}

impl Row {
    fn value(&self) -> i64 {
        self.score.parse().unwrap()
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut rows: Vec<Row> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(name, score)| Row { name: name.to_string(), score: score.to_string() })
        .collect();
    for end in (1..rows.len()).rev() {
        for j in 0..end {
            if rows[j].value() < rows[j + 1].value() {
                rows.swap(j, j + 1);
            }
        }
    }
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        out.push_str(&format!("{} {} {}\n", i + 1, row.name, row.score));
    }
    print!("{}", out);
}
