// ==Code Submission==

(function () {
    const lines = require('fs').readFileSync(0, 'utf8').split('\n');
    console.log(JSON.stringify(longestRising(JSON.parse(lines[0]))));
})();
