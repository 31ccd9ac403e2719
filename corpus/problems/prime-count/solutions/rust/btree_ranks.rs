// A BTreeMap from prime to rank, asked for the last entry up to an end point.
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut it = text.split_ascii_whitespace().map(|t| t.parse::<u32>().unwrap());
    let q = it.next().unwrap();
    let n = 2_000_000u32;
    let mut comp = vec![false; n as usize + 1];
    let mut rank: BTreeMap<u32, u32> = BTreeMap::new();
    rank.insert(0, 0);
    for v in 2..=n {
        if comp[v as usize] {
            continue;
        }
        let k = rank.len() as u32;
        rank.insert(v, k);
        if v < 1415 {
            for m in (v * v..=n).step_by(v as usize) {
                comp[m as usize] = true;
            }
        }
    }
    let pi = |x: u32| *rank.range(..=x).next_back().unwrap().1;
    let mut out = Vec::new();
    for _ in 0..q {
        let l = it.next().unwrap();
        let r = it.next().unwrap();
        writeln!(out, "{}", pi(r) - pi(l - 1)).unwrap();
    }
    io::stdout().write_all(&out).unwrap();
}
