// Logarithmic derivative: s*p(s) is a convolution of p with the divisor sums of the coins.
use std::io::{self, Read};

const MOD: u64 = 1_000_000_007;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<usize> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let amount = v[1];
    let mut d = vec![0u64; amount + 1];
    for &c in &v[2..] {
        for s in (c..=amount).step_by(c) {
            d[s] += c as u64;
        }
    }
    let mut inv = vec![1u64; amount + 2];
    for i in 2..=amount {
        inv[i] = (MOD - MOD / i as u64) * inv[(MOD % i as u64) as usize] % MOD;
    }
    let mut p = Vec::with_capacity(amount + 1);
    p.push(1u64);
    for s in 1..=amount {
        let mut total = 0u64;
        let mut k = 1;
        while k <= s {
            let end = (k + 4096).min(s + 1);
            let part: u64 = d[k..end].iter().zip(p[s + 1 - end..=s - k].iter().rev()).map(|(x, y)| x * y).sum();
            total += part % MOD;
            k = end;
        }
        p.push(total % MOD * inv[s] % MOD);
    }
    println!("{}", p[amount]);
}
