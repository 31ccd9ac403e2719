// Sorts the rows by falling score, comparing the scores as they were read.
const rows = require("fs").readFileSync(0, "utf8").trim().split("\n").slice(1).map((line) => line.trim().split(" "));
rows.sort((a, b) => (a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0));
console.log(rows.map((row, i) => i + 1 + " " + row.join(" ")).join("\n"));
