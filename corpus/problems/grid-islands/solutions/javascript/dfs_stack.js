// Flood fill with a stack of coordinate pairs; cells are sunk in place.
var countIslands = function(grid) {
    const rows = grid.length, cols = grid[0].length;
    let islands = 0;
    for (let r = 0; r < rows; r++) {
        for (let c = 0; c < cols; c++) {
            if (grid[r][c] === 0) continue;
            islands++;
            grid[r][c] = 0;
            const stack = [[r, c]];
            while (stack.length > 0) {
                const [y, x] = stack.pop();
                for (const [v, u] of [[y + 1, x], [y - 1, x], [y, x + 1], [y, x - 1]]) {
                    if (v >= 0 && u >= 0 && v < rows && u < cols && grid[v][u] === 1) {
                        grid[v][u] = 0;
                        stack.push([v, u]);
                    }
                }
            }
        }
    }
    return islands;
};
