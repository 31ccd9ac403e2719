// Binary heap of indices compared by value; stale tops leave late.
const tokens = require("fs").readFileSync(0, "utf8").split(/\s+/);
const n = parseInt(tokens[0], 10);
const k = parseInt(tokens[1], 10);
const a = [];
const heap = [];

function push(i) {
  let p = heap.length;
  heap.push(i);
  while (p > 0) {
    const q = (p - 1) >> 1;
    if (a[heap[q]] >= a[i]) break;
    heap[p] = heap[q];
    p = q;
  }
  heap[p] = i;
}

function pop() {
  const i = heap.pop();
  const size = heap.length;
  if (!size) return;
  let p = 0;
  for (;;) {
    let c = 2 * p + 1;
    if (c >= size) break;
    if (c + 1 < size && a[heap[c + 1]] > a[heap[c]]) c++;
    if (a[heap[c]] <= a[i]) break;
    heap[p] = heap[c];
    p = c;
  }
  heap[p] = i;
}

let out = "";
for (let i = 0; i < n; i++) {
  a.push(parseInt(tokens[i + 2], 10));
  push(i);
  while (heap[0] <= i - k) pop();
  if (i >= k - 1) out += a[heap[0]] + " ";
}
console.log(out.trimEnd());
