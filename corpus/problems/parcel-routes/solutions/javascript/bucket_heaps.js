// Dijkstra with coarse buckets of distances: a small heap of bucket numbers, and a sorted array inside the bucket in work.
const WIDTH = 4096;
const words = require("fs").readFileSync(0, "utf8").split(/[ \n]/);
const n = Number(words[0]);
const m = Number(words[1]);
const first = new Array(n + 1).fill(-1);
const next = new Array(m);
for (let e = 0; e < m; e++) {
  const a = Number(words[3 * e + 2]);
  next[e] = first[a];
  first[a] = e;
}

const dist = new Array(n + 1).fill(Infinity);
const buckets = new Map();
const numbers = [];

function addNumber(q) {
  let i = numbers.length;
  numbers.push(q);
  while (i > 0) {
    const p = (i - 1) >> 1;
    if (numbers[p] <= q) break;
    numbers[i] = numbers[p];
    i = p;
  }
  numbers[i] = q;
}

function takeNumber() {
  const top = numbers[0];
  const tail = numbers.pop();
  const size = numbers.length;
  if (size > 0) {
    let i = 0;
    for (let c = 1; c < size; c = 2 * i + 1) {
      if (c + 1 < size && numbers[c + 1] < numbers[c]) c++;
      if (numbers[c] >= tail) break;
      numbers[i] = numbers[c];
      i = c;
    }
    numbers[i] = tail;
  }
  return top;
}

function add(entry) {
  const q = Math.floor(entry.dist / WIDTH);
  const bucket = buckets.get(q);
  if (bucket === undefined) {
    buckets.set(q, [entry]);
    addNumber(q);
  } else {
    bucket.push(entry);
  }
}

// Keeps the bucket in work in descending order.
function insert(bucket, entry) {
  let low = 0;
  let high = bucket.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (bucket[mid].dist > entry.dist) low = mid + 1;
    else high = mid;
  }
  bucket.splice(low, 0, entry);
}

dist[1] = 0;
add({ dist: 0, node: 1 });
while (numbers.length > 0) {
  const q = takeNumber();
  const bucket = buckets.get(q).sort((x, y) => y.dist - x.dist);
  const end = (q + 1) * WIDTH;
  while (bucket.length > 0) {
    const { dist: d, node: v } = bucket.pop();
    if (d > dist[v]) continue;
    for (let e = first[v]; e >= 0; e = next[e]) {
      const u = Number(words[3 * e + 3]);
      const t = d + Number(words[3 * e + 4]);
      if (t >= dist[u]) continue;
      dist[u] = t;
      if (t < end) insert(bucket, { dist: t, node: u });
      else add({ dist: t, node: u });
    }
  }
  buckets.delete(q);
}
console.log(dist.slice(1).map((d) => (d === Infinity ? -1 : d)).join(" "));
