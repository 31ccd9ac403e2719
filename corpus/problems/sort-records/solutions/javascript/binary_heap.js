// A binary heap of indices built by sifting up, drained by sifting down.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/);
const n = parseInt(data[0], 10);
const score = new Array(n);
const heap = [];

function before(a, b) {
  return score[a] > score[b] || (score[a] === score[b] && a < b);
}

function push(i) {
  let at = heap.length;
  heap.push(i);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(i, heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = i;
}

function pop() {
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
    if (!before(heap[child], last)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return top;
}

for (let i = 0; i < n; i++) {
  score[i] = parseInt(data[2 * i + 2], 10);
  push(i);
}
let chunk = "";
for (let place = 1; place <= n; place++) {
  const i = pop();
  chunk += `${place} ${data[2 * i + 1]} ${score[i]}\n`;
  if (chunk.length > 8000) {
    process.stdout.write(chunk);
    chunk = "";
  }
}
process.stdout.write(chunk);
