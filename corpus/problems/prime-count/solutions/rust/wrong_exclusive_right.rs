// Linear list of primes, answered with two binary searches.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let nums: Vec<usize> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let n = 2_000_000;
    let mut comp = vec![false; n + 1];
    let mut primes = Vec::new();
    for v in 2..=n {
        if !comp[v] {
            primes.push(v);
            for m in (v * v..=n).step_by(v) {
                comp[m] = true;
            }
        }
    }
    let mut out = String::new();
    for c in nums[1..].chunks(2) {
        let a = primes.partition_point(|&p| p < c[0]);
        let b = primes.partition_point(|&p| p < c[1]);
        out += &format!("{}\n", b - a.min(b));
    }
    print!("{}", out);
}
