// Labels spread by one cell per round until nothing changes any more.
var countIslands = function(grid) {
    const rows = grid.length, cols = grid[0].length;
    let label = grid.map((row, r) => row.map((cell, c) => cell * (r * cols + c + 1)));
    let changed = true;
    while (changed) {
        changed = false;
        const old = label;
        label = old.map((row, r) => row.map((value, c) => {
            if (value === 0) return 0;
            let most = value;
            if (r > 0) most = Math.max(most, old[r - 1][c]);
            if (r + 1 < rows) most = Math.max(most, old[r + 1][c]);
            if (c > 0) most = Math.max(most, row[c - 1]);
            if (c + 1 < cols) most = Math.max(most, row[c + 1]);
            if (most !== value) changed = true;
            return most;
        }));
    }
    return new Set(label.flat().filter((value) => value > 0)).size;
};
