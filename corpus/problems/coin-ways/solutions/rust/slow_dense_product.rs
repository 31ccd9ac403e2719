// Dense polynomial product for every coin.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<usize> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let amount = v[1];
    let mut total = vec![0u64; amount + 1];
    total[0] = 1;
    for &c in &v[2..] {
        let factor: Vec<u64> = (0..=amount).map(|s| (s % c == 0) as u64).collect();
        let mut product = vec![0u64; 2 * amount + 1];
        for i in 0..=amount {
            for j in 0..=amount {
                product[i + j] = (product[i + j] + total[i] * factor[j]) % 1_000_000_007;
            }
        }
        product.truncate(amount + 1);
        total = product;
    }
    println!("{}", total[amount]);
}
