// Breadth-first walk from the tasks without prerequisites; every task is printed
// when it is first reached.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let nums: Vec<usize> = text.split_ascii_whitespace().map(|t| t.parse().unwrap()).collect();
    let n = nums[0];
    let mut after = vec![Vec::new(); n + 1];
    let mut seen = vec![true; n + 1];
    for e in nums[2..].chunks_exact(2) {
        after[e[0]].push(e[1]);
        seen[e[1]] = false;
    }
    let mut order: Vec<usize> = (1..=n).filter(|&v| seen[v]).collect();
    let mut i = 0;
    while i < order.len() {
        for &w in &after[order[i]] {
            if !seen[w] {
                seen[w] = true;
                order.push(w);
            }
        }
        i += 1;
    }
    if order.len() < n {
        println!("IMPOSSIBLE");
    } else {
        println!("{}", order.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" "));
    }
}
