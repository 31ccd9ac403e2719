// Depth-first search with explicit stack over linked edges.
function solve(nums) {
  const n = nums[0];
  const m = nums[1];
  const head = new Int32Array(n + 1);
  const link = new Int32Array(m + 1);
  const to = new Int32Array(m + 1);
  for (let e = 1; e <= m; e++) {
    const a = nums[2 * e];
    to[e] = nums[2 * e + 1];
    link[e] = head[a];
    head[a] = e;
  }
  const state = new Uint8Array(n + 1);
  const finished = [];
  const path = [];
  for (let root = 1; root <= n; root++) {
    if (state[root]) continue;
    state[root] = 1;
    path.push(root);
    while (path.length) {
      const v = path[path.length - 1];
      const e = head[v];
      if (e === 0) {
        state[v] = 2;
        finished.push(v);
        path.pop();
        continue;
      }
      head[v] = link[e];
      const w = to[e];
      if (state[w] === 1) return "IMPOSSIBLE";
      if (state[w] === 0) {
        state[w] = 1;
        path.push(w);
      }
    }
  }
  return finished.reverse().join(" ");
}

console.log(solve(require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number)));
