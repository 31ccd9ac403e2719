// A BTreeMap from reversed score to the names in input order; every line is printed with println.
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    let mut groups: BTreeMap<Reverse<i64>, Vec<String>> = BTreeMap::new();
    for _ in 0..n {
        let mut row = String::new();
        io::stdin().read_line(&mut row).unwrap();
        let parts: Vec<&str> = row.split_whitespace().collect();
        groups.entry(Reverse(parts[1].parse().unwrap())).or_insert_with(Vec::new).push(parts[0].to_string());
    }
    let mut place = 0;
    for (score, names) in &groups {
        for name in names {
            place += 1;
            println!("{} {} {}", place, name, score.0);
        }
    }
}
