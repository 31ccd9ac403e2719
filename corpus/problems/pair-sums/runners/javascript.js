// ==Code Submission==

(function () {
  const runnerLines = require("fs").readFileSync(0, "utf8").split("\n");
  const result = countPairs(JSON.parse(runnerLines[0]), JSON.parse(runnerLines[1]));
  process.stdout.write(JSON.stringify(result) + "\n");
})();
