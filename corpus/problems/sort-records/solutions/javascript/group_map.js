// A Map from score to the names in input order; the distinct scores are sorted.
const tokens = require("fs").readFileSync(0, "utf8").match(/\S+/g);
const groups = new Map();
for (let t = 1; t + 1 < tokens.length; t += 2) {
  const score = +tokens[t + 1];
  if (groups.has(score)) groups.get(score).push(tokens[t]);
  else groups.set(score, [tokens[t]]);
}
const out = [];
let place = 0;
for (const score of [...groups.keys()].sort((a, b) => b - a)) {
  for (const name of groups.get(score)) {
    place += 1;
    out.push([place, name, score].join(" "));
  }
}
console.log(out.join("\n"));
