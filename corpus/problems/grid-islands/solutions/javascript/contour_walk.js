// Follows every shore with the land to the right; outer shores turn right in total.
var countIslands = function(grid) {
    const rows = grid.length, width = grid[0].length + 2;
    const land = new Uint8Array((rows + 2) * width);
    const done = new Uint8Array(land.length);
    for (let r = 0; r < rows; r++) land.set(grid[r], (r + 1) * width + 1);
    const step = [1, width, -1, -width];
    let islands = 0;
    for (let start = width; start < land.length - width; start++) {
        if (!land[start] || land[start - width] || done[start]) continue;
        let cell = start, d = 0, turns = 0;
        do {
            if (d === 0) done[cell] = 1;
            const front = cell + step[d], left = (d + 3) & 3;
            if (!land[front]) {
                d = (d + 1) & 3;
                turns++;
            } else if (land[front + step[left]]) {
                cell = front + step[left];
                d = left;
                turns--;
            } else {
                cell = front;
            }
        } while (cell !== start || d !== 0);
        if (turns > 0) islands++;
    }
    return islands;
};
