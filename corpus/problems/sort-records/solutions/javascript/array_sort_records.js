// The built-in stable sort of record objects.
const lines = require("fs").readFileSync(0, "utf8").split("\n");
const n = Number(lines[0]);
const records = [];
for (let i = 1; i <= n; i++) {
  const [name, score] = lines[i].split(" ");
  records.push({ name, score: Number(score) });
}
records.sort((a, b) => b.score - a.score);
console.log(records.map((r, i) => `${i + 1} ${r.name} ${r.score}`).join("\n"));
