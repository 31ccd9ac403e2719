// Treats cells that touch at a corner as neighbours.
var countIslands = function(grid) {
    let islands = 0;
    const cell = (r, c) => (grid[r] === undefined ? 0 : grid[r][c]);
    for (let r = 0; r < grid.length; r++) {
        for (let c = 0; c < grid[0].length; c++) {
            if (!grid[r][c]) continue;
            islands++;
            grid[r][c] = 0;
            const open = [[r, c]];
            while (open.length) {
                const [y, x] = open.pop();
                for (let v = y - 1; v <= y + 1; v++) {
                    for (let u = x - 1; u <= x + 1; u++) {
                        if (cell(v, u) === 1) {
                            grid[v][u] = 0;
                            open.push([v, u]);
                        }
                    }
                }
            }
        }
    }
    return islands;
};
