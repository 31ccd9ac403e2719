// Recursive merge sort that builds new arrays; readline for input.
const readline = require("readline");

function mergeSort(rows) {
  if (rows.length < 2) return rows;
  const half = rows.length >> 1;
  const left = mergeSort(rows.slice(0, half));
  const right = mergeSort(rows.slice(half));
  const merged = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    merged.push(left[i][1] >= right[j][1] ? left[i++] : right[j++]);
  }
  while (i < left.length) merged.push(left[i++]);
  while (j < right.length) merged.push(right[j++]);
  return merged;
}

const rows = [];
let header = true;
const reader = readline.createInterface({ input: process.stdin });
reader.on("line", (line) => {
  if (header) {
    header = false;
    return;
  }
  const parts = line.split(" ");
  if (parts.length === 2) rows.push([parts[0], parseInt(parts[1], 10)]);
});
reader.on("close", () => {
  let out = "";
  mergeSort(rows).forEach((row, i) => {
    out += i + 1 + " " + row[0] + " " + row[1] + "\n";
  });
  process.stdout.write(out);
});
