// Queue from two stacks with running maxima.
const data = require("fs").readFileSync(0, "latin1").split(/\s/);
const n = Number(data[0]);
const k = Number(data[1]);
let inbox = [];
let top = -Infinity;
let outbox = [];
const res = [];
for (let i = 0; i < n; i++) {
  const x = Number(data[i + 2]);
  inbox.push(x);
  if (x > top) top = x;
  if (i < k - 1) continue;
  if (outbox.length === 0) {
    let m = -Infinity;
    for (let j = inbox.length - 1; j >= 0; j--) {
      m = Math.max(m, inbox[j]);
      outbox.push(m);
    }
    inbox = [];
    top = -Infinity;
  }
  const m = outbox.pop();
  res.push(m > top ? m : top);
}
console.log(res.join(" "));
