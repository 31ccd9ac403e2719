// Smallest free task first from a BinaryHeap of reversed numbers.
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{self, BufRead};

fn main() {
    let stdin = io::stdin();
    let mut lines = stdin.lock().lines().map(|l| {
        let l = l.unwrap();
        let mut p = l.split_whitespace().map(|t| t.parse::<usize>().unwrap());
        (p.next().unwrap(), p.next().unwrap())
    });
    let (n, m) = lines.next().unwrap();
    let mut after: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut need = vec![0usize; n + 1];
    for (a, b) in lines.take(m) {
        after.entry(a).or_default().push(b);
        need[b] += 1;
    }
    let mut heap: BinaryHeap<Reverse<usize>> = (1..=n).filter(|&v| need[v] == 0).map(Reverse).collect();
    let mut order: Vec<usize> = Vec::new();
    while let Some(Reverse(v)) = heap.pop() {
        order.push(v);
        if let Some(list) = after.remove(&v) {
            for w in list {
                need[w] -= 1;
                if need[w] == 0 {
                    heap.push(Reverse(w));
                }
            }
        }
    }
    if order.len() != n {
        println!("IMPOSSIBLE");
        return;
    }
    let words: Vec<String> = order.iter().map(|v| v.to_string()).collect();
    println!("{}", words.join(" "));
}
