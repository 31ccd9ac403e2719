// Breadth-first search on a flat framed copy with one typed array as the queue.
var countIslands = function(grid) {
    const rows = grid.length, width = grid[0].length + 1;
    const land = new Uint8Array((rows + 2) * width + 1);
    grid.forEach((row, r) => land.set(row, (r + 1) * width + 1));
    const queue = new Int32Array(rows * width);
    let islands = 0;
    for (let start = width; start < land.length; start++) {
        if (land[start] === 0) continue;
        islands++;
        let head = 0, tail = 0;
        queue[tail++] = start;
        land[start] = 0;
        while (head < tail) {
            const p = queue[head++];
            if (land[p + 1]) { land[p + 1] = 0; queue[tail++] = p + 1; }
            if (land[p - 1]) { land[p - 1] = 0; queue[tail++] = p - 1; }
            if (land[p + width]) { land[p + width] = 0; queue[tail++] = p + width; }
            if (land[p - width]) { land[p - width] = 0; queue[tail++] = p - width; }
        }
    }
    return islands;
};
