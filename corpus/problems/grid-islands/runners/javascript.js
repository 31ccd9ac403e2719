// ==Code Submission==

(function () {
    const lines = require('fs').readFileSync(0, 'latin1').split('\n');
    const grid = JSON.parse(lines[0]);
    console.log(JSON.stringify(countIslands(grid)));
})();
