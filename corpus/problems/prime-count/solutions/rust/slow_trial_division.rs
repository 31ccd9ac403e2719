// Tests every number of every query by trial division.
use std::io::{self, BufRead};

fn is_prime(v: u32) -> bool {
    if v < 2 {
        return false;
    }
    let mut d = 2;
    while d * d <= v {
        if v % d == 0 {
            return false;
        }
        d += 1;
    }
    true
}

fn main() {
    let stdin = io::stdin();
    for line in stdin.lock().lines().skip(1) {
        let line = line.unwrap();
        let v: Vec<u32> = line.split_whitespace().map(|t| t.parse().unwrap()).collect();
        if v.len() == 2 {
            println!("{}", (v[0]..=v[1]).filter(|&x| is_prime(x)).count());
        }
    }
}
