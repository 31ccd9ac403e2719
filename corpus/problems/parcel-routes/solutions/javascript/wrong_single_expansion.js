// Layer by layer in order of distance; every node is expanded only once and sums are forced into 32 bits.
const lines = require("fs").readFileSync(0, "utf8").split("\n");
const [n, m] = lines[0].split(" ").map(Number);
const roads = Array.from({ length: n + 1 }, () => []);
for (let i = 1; i <= m; i++) {
  const [a, b, w] = lines[i].split(" ").map(Number);
  roads[a].push([b, w]);
}
const dist = new Array(n + 1).fill(-1);
dist[1] = 0;
let layer = [1];
while (layer.length > 0) {
  layer.sort((x, y) => dist[x] - dist[y]);
  const following = [];
  for (const v of layer) {
    for (const [u, w] of roads[v]) {
      const t = (dist[v] + w) | 0;
      if (dist[u] === -1) {
        dist[u] = t;
        following.push(u);
      } else if (t < dist[u] && t >= 0) {
        dist[u] = t;
      }
    }
  }
  layer = following;
}
console.log(dist.slice(1).join(" "));
