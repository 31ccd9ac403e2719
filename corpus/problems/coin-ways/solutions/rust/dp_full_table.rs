// Table of 64-bit cells, coins by sums.
use std::io::{self, BufRead};

fn main() {
    let lines: Vec<String> = io::stdin().lock().lines().map(|l| l.unwrap()).collect();
    let head: Vec<usize> = lines[0].split_whitespace().map(|t| t.parse().unwrap()).collect();
    let coins: Vec<usize> = lines[1].split_whitespace().map(|t| t.parse().unwrap()).collect();
    let (n, amount) = (head[0], head[1]);
    let mut table = vec![vec![0u64; amount + 1]; n + 1];
    table[0][0] = 1;
    for i in 0..n {
        for s in 0..=amount {
            let more = if s >= coins[i] { table[i + 1][s - coins[i]] } else { 0 };
            table[i + 1][s] = (table[i][s] + more) % 1_000_000_007;
        }
    }
    println!("{}", table[n][amount]);
}
