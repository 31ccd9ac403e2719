// Sorts by rising score and reverses the vector.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut rows: Vec<(i64, &str)> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(' '))
        .map(|(name, score)| (score.trim().parse().unwrap(), name))
        .collect();
    rows.sort_by_key(|row| row.0);
    rows.reverse();
    let mut out = String::new();
    for (i, (score, name)) in rows.iter().enumerate() {
        out.push_str(&format!("{} {} {}\n", i + 1, name, score));
    }
    print!("{}", out);
}
