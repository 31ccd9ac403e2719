// Recounts the open prerequisites of all tasks for every task that is placed.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let nums: Vec<usize> = text.split_ascii_whitespace().map(|t| t.parse().unwrap()).collect();
    let n = nums[0];
    let edges: Vec<(usize, usize)> = nums[2..].chunks_exact(2).map(|e| (e[0], e[1])).collect();
    let mut done = vec![false; n + 1];
    let mut order = Vec::new();
    while order.len() < n {
        let mut waits = vec![0u32; n + 1];
        for &(a, b) in &edges {
            if !done[a] {
                waits[b] += 1;
            }
        }
        match (1..=n).find(|&v| !done[v] && waits[v] == 0) {
            None => {
                println!("IMPOSSIBLE");
                return;
            }
            Some(v) => {
                done[v] = true;
                order.push(v.to_string());
            }
        }
    }
    println!("{}", order.join(" "));
}
