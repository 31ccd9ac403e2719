// Kahn's algorithm with vectors of followers and a VecDeque.
use std::collections::VecDeque;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut it = text.split_ascii_whitespace().map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let m = it.next().unwrap();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    let mut need = vec![0; n + 1];
    for _ in 0..m {
        let a = it.next().unwrap();
        let b = it.next().unwrap();
        after[a].push(b);
        need[b] += 1;
    }
    let mut ready: VecDeque<usize> = (1..=n).filter(|&v| need[v] == 0).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(v) = ready.pop_front() {
        order.push(v.to_string());
        for &w in &after[v] {
            need[w] -= 1;
            if need[w] == 0 {
                ready.push_back(w);
            }
        }
    }
    if order.len() < n {
        println!("IMPOSSIBLE");
    } else {
        println!("{}", order.join(" "));
    }
}
