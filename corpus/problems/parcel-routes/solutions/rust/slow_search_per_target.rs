// One complete quadratic search from node 1 for every target.
use std::io::Read;

fn route(roads: &Vec<Vec<(usize, u64)>>, target: usize) -> Option<u64> {
    let n = roads.len();
    let mut dist: Vec<Option<u64>> = vec![None; n];
    let mut closed = vec![false; n];
    dist[1] = Some(0);
    loop {
        let nearest = (1..n).filter(|&v| !closed[v] && dist[v].is_some()).min_by_key(|&v| dist[v]);
        let v = nearest?;
        if v == target {
            return dist[v];
        }
        closed[v] = true;
        let d = dist[v].unwrap();
        for &(u, w) in &roads[v] {
            if dist[u].map_or(true, |old| d + w < old) {
                dist[u] = Some(d + w);
            }
        }
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace().map(|w| w.parse::<usize>().unwrap());
    let n = words.next().unwrap();
    let m = words.next().unwrap();
    let mut roads: Vec<Vec<(usize, u64)>> = vec![Vec::new(); n + 1];
    for _ in 0..m {
        let a = words.next().unwrap();
        let b = words.next().unwrap();
        roads[a].push((b, words.next().unwrap() as u64));
    }
    let out: Vec<String> = (1..=n)
        .map(|v| route(&roads, v).map_or("-1".to_string(), |d| d.to_string()))
        .collect();
    println!("{}", out.join(" "));
}
