// Falling pass: a coin is never used twice.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<usize> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let amount = v[1];
    let mut ways = vec![0u64; amount + 1];
    ways[0] = 1;
    for &c in &v[2..] {
        for s in (c..=amount).rev() {
            ways[s] = (ways[s] + ways[s - c]) % 1_000_000_007;
        }
    }
    println!("{}", ways[amount]);
}
