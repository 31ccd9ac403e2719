// One row of counts.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut it = text.split_whitespace().map(|t| t.parse::<usize>().unwrap());
    let _n = it.next();
    let amount = it.next().unwrap();
    let mut ways = vec![0u32; amount + 1];
    ways[0] = 1;
    for c in it {
        for s in c..=amount {
            let v = ways[s] + ways[s - c];
            ways[s] = if v >= 1_000_000_007 { v - 1_000_000_007 } else { v };
        }
    }
    println!("{}", ways[amount]);
}
