// Recursion with a memo, run in a thread with a large stack.
use std::io::{self, Read};

struct Counter {
    coins: Vec<usize>,
    memo: Vec<Vec<Option<u32>>>,
}

impl Counter {
    fn count(&mut self, i: usize, rest: usize) -> u32 {
        if rest == 0 {
            return 1;
        }
        if i == 0 {
            return (rest % self.coins[0] == 0) as u32;
        }
        if let Some(v) = self.memo[i][rest] {
            return v;
        }
        let mut v = self.count(i - 1, rest);
        if rest >= self.coins[i] {
            v = (v + self.count(i, rest - self.coins[i])) % 1_000_000_007;
        }
        self.memo[i][rest] = Some(v);
        v
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<usize> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let (n, amount) = (v[0], v[1]);
    let mut coins = v[2..].to_vec();
    coins.sort();
    let mut counter = Counter { coins, memo: vec![vec![None; amount + 1]; n] };
    let worker = std::thread::Builder::new().stack_size(64 << 20).spawn(move || counter.count(n - 1, amount)).unwrap();
    println!("{}", worker.join().unwrap());
}
