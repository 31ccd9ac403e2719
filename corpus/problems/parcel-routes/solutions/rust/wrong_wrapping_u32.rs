// Dijkstra with distances in u32.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace().map(|w| w.parse::<u32>().unwrap());
    let n = words.next().unwrap() as usize;
    let m = words.next().unwrap();
    let mut roads: Vec<Vec<(usize, u32)>> = vec![Vec::new(); n + 1];
    for _ in 0..m {
        let a = words.next().unwrap() as usize;
        let b = words.next().unwrap() as usize;
        roads[a].push((b, words.next().unwrap()));
    }
    let mut dist = vec![u32::MAX; n + 1];
    let mut closed = vec![false; n + 1];
    let mut heap = BinaryHeap::new();
    dist[1] = 0;
    heap.push(Reverse((0u32, 1usize)));
    while let Some(Reverse((d, v))) = heap.pop() {
        if closed[v] {
            continue;
        }
        closed[v] = true;
        for &(u, w) in &roads[v] {
            let t = d.wrapping_add(w);
            if !closed[u] && t < dist[u] {
                dist[u] = t;
                heap.push(Reverse((t, u)));
            }
        }
    }
    let out: Vec<String> = dist[1..]
        .iter()
        .map(|&d| if d == u32::MAX { "-1".to_string() } else { d.to_string() })
        .collect();
    println!("{}", out.join(" "));
}
