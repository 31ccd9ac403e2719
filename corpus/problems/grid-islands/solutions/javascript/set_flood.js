// A Set of the numbers of all land cells; islands are drained out of it one by one.
var countIslands = function(grid) {
    const width = grid[0].length + 1;
    const land = new Set();
    grid.forEach((row, r) => row.forEach((cell, c) => {
        if (cell === 1) land.add(r * width + c);
    }));
    let islands = 0;
    for (const first of land) {
        islands++;
        land.delete(first);
        const open = [first];
        while (open.length) {
            const p = open.pop();
            for (const q of [p + 1, p - 1, p + width, p - width]) {
                if (land.delete(q)) open.push(q);
            }
        }
    }
    return islands;
};
