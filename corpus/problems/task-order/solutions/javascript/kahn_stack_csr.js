// Typed arrays in compressed rows, bytes read directly, free tasks on a stack.
const input = require("fs").readFileSync(0);
let at = 0;
function next() {
  while (input[at] < 48) at++;
  let v = 0;
  while (at < input.length && input[at] >= 48) v = v * 10 + input[at++] - 48;
  return v;
}
const n = next();
const m = next();
const src = new Int32Array(m);
const dst = new Int32Array(m);
const first = new Int32Array(n + 2);
const need = new Int32Array(n + 1);
for (let i = 0; i < m; i++) {
  src[i] = next();
  dst[i] = next();
  first[src[i]]++;
  need[dst[i]]++;
}
for (let v = 1; v <= n + 1; v++) first[v] += first[v - 1];
const to = new Int32Array(m);
for (let i = 0; i < m; i++) to[--first[src[i]]] = dst[i];
const stack = new Int32Array(n);
const order = new Int32Array(n);
let top = 0;
let count = 0;
for (let v = n; v >= 1; v--) if (need[v] === 0) stack[top++] = v;
while (top > 0) {
  const v = stack[--top];
  order[count++] = v;
  for (let e = first[v]; e < first[v + 1]; e++) {
    if (--need[to[e]] === 0) stack[top++] = to[e];
  }
}
process.stdout.write((count === n ? order.join(" ") : "IMPOSSIBLE") + "\n");
