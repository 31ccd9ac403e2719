// A binary trie over the shifted value, nodes in one growing vector.
#[derive(Clone, Copy)]
struct TrieNode {
    best: i32,
    child: [u32; 2],
}

impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        let empty = TrieNode { best: 0, child: [0, 0] };
        // Node 0 is the shared empty node, node 1 the root.
        let mut nodes = vec![empty, empty];
        for x in nums {
            let key = (x + 1_000_000_000) as u32;
            let mut at = 1usize;
            let mut best = 0;
            for b in (0..31).rev() {
                let bit = (key >> b & 1) as usize;
                if bit == 1 {
                    best = best.max(nodes[nodes[at].child[0] as usize].best);
                }
                at = nodes[at].child[bit] as usize;
                if at == 0 {
                    break;
                }
            }
            best += 1;
            at = 1;
            nodes[1].best = nodes[1].best.max(best);
            for b in (0..31).rev() {
                let bit = (key >> b & 1) as usize;
                if nodes[at].child[bit] == 0 {
                    nodes[at].child[bit] = nodes.len() as u32;
                    nodes.push(empty);
                }
                at = nodes[at].child[bit] as usize;
                nodes[at].best = nodes[at].best.max(best);
            }
        }
        nodes[1].best
    }
}
