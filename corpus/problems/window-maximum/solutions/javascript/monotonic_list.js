// Falling sequence in an ordinary array with a moving head.
const lines = require("fs").readFileSync(0, "utf8").split("\n");
const [n, k] = lines[0].split(" ").map(Number);
const a = lines[1].trim().split(" ").map(Number);
const queue = [];
let head = 0;
const out = [];
a.forEach((x, i) => {
  while (queue.length > head && a[queue[queue.length - 1]] <= x) queue.pop();
  queue.push(i);
  if (queue[head] <= i - k) head++;
  if (i >= k - 1) out.push(a[queue[head]]);
});
console.log(out.join(" "));
