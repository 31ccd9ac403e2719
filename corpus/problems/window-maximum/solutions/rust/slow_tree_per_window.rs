// Builds a fresh ordered set for every window.
use std::collections::BTreeSet;
use std::io::{self, Read};

fn main() {
    let mut s = String::new();
    io::stdin().read_to_string(&mut s).unwrap();
    let v: Vec<i32> = s.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let k = v[1] as usize;
    let mut out = Vec::new();
    for w in v[2..].windows(k) {
        let set: BTreeSet<i32> = w.iter().cloned().collect();
        out.push(set.iter().next_back().unwrap().to_string());
    }
    println!("{}", out.join(" "));
}
