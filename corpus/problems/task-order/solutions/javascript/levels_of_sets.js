// Sets of open prerequisites and of followers, peeled level by level.
const rows = require("fs").readFileSync(0, "utf8").trim().split("\n");
const [n, m] = rows[0].split(" ").map(Number);
const tasks = [];
for (let v = 0; v <= n; v++) tasks.push({ before: new Set(), after: new Set() });
for (let i = 1; i <= m; i++) {
  const gap = rows[i].indexOf(" ");
  const a = Number(rows[i].slice(0, gap));
  const b = Number(rows[i].slice(gap + 1));
  tasks[b].before.add(a);
  tasks[a].after.add(b);
}
let level = [];
for (let v = n; v >= 1; v--) if (tasks[v].before.size === 0) level.push(v);
const order = [];
while (level.length > 0) {
  const upcoming = [];
  for (const v of level) {
    order.push(v);
    for (const w of tasks[v].after) {
      tasks[w].before.delete(v);
      if (tasks[w].before.size === 0) upcoming.push(w);
    }
  }
  level = upcoming;
}
console.log(order.length === n ? order.join(" ") : "IMPOSSIBLE");
