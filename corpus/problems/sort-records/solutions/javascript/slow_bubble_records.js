// Bubble sort of text records; the score is converted again for every comparison.
const rows = require("fs").readFileSync(0, "utf8").trim().split("\n").slice(1).map((line) => line.trim().split(" "));
for (let end = rows.length - 1; end > 0; end--) {
  for (let j = 0; j < end; j++) {
    if (parseInt(rows[j][1], 10) < parseInt(rows[j + 1][1], 10)) {
      const swap = rows[j];
      rows[j] = rows[j + 1];
      rows[j + 1] = swap;
    }
  }
}
console.log(rows.map((row, i) => i + 1 + " " + row.join(" ")).join("\n"));
