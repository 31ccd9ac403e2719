// Dijkstra with std BinaryHeap of reversed pairs; outdated entries are skipped.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead};

fn main() {
    let stdin = io::stdin();
    let mut lines = stdin.lock().lines();
    let first = lines.next().unwrap().unwrap();
    let mut parts = first.split_whitespace().map(|x| x.parse::<usize>().unwrap());
    let n = parts.next().unwrap();
    let m = parts.next().unwrap();
    let mut roads: Vec<Vec<(usize, u64)>> = vec![Vec::new(); n + 1];
    for _ in 0..m {
        let line = lines.next().unwrap().unwrap();
        let v: Vec<usize> = line.split_whitespace().map(|x| x.parse().unwrap()).collect();
        roads[v[0]].push((v[1], v[2] as u64));
    }
    let mut dist: Vec<Option<u64>> = vec![None; n + 1];
    let mut heap = BinaryHeap::new();
    heap.push(Reverse((0u64, 1usize)));
    while let Some(Reverse((d, v))) = heap.pop() {
        if dist[v].is_some() {
            continue;
        }
        dist[v] = Some(d);
        for &(u, w) in &roads[v] {
            if dist[u].is_none() {
                heap.push(Reverse((d + w, u)));
            }
        }
    }
    let out: Vec<String> = dist[1..]
        .iter()
        .map(|d| match d {
            Some(x) => x.to_string(),
            None => "-1".to_string(),
        })
        .collect();
    println!("{}", out.join(" "));
}
