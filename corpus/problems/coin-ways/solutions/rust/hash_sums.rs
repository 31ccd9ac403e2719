// Reachable sums in a HashMap with the default hasher.
use std::collections::HashMap;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<u32> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let amount = v[1];
    let mut coins = v[2..].to_vec();
    coins.sort_by(|x, y| y.cmp(x));
    let mut ways: HashMap<u32, u64> = HashMap::new();
    ways.insert(0, 1);
    for c in coins {
        for s in c..=amount {
            if let Some(&x) = ways.get(&(s - c)) {
                let cell = ways.entry(s).or_insert(0);
                *cell = (*cell + x) % 1_000_000_007;
            }
        }
    }
    println!("{}", ways.get(&amount).cloned().unwrap_or(0));
}
