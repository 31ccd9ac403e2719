// Linear sieve with a table of smallest factors; the prime list is searched.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let nums: Vec<usize> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let n = *nums[1..].iter().max().unwrap();
    let mut low = vec![0usize; n + 1];
    let mut primes: Vec<usize> = Vec::new();
    for i in 2..=n {
        if low[i] == 0 {
            low[i] = i;
            primes.push(i);
        }
        for &p in &primes {
            if p > low[i] || p * i > n {
                break;
            }
            low[p * i] = p;
        }
    }
    for c in nums[1..].chunks(2) {
        let a = primes.partition_point(|&p| p < c[0]);
        let b = primes.partition_point(|&p| p <= c[1]);
        println!("{}", b - a);
    }
}
