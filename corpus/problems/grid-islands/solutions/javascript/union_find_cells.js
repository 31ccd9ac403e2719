// Union-find over all cells in a class of its own.
class Forest {
    constructor(n) {
        this.parent = Array.from({ length: n }, (_, i) => i);
        this.size = new Array(n).fill(1);
    }
    find(a) {
        const parent = this.parent;
        while (parent[a] !== a) {
            parent[a] = parent[parent[a]];
            a = parent[a];
        }
        return a;
    }
    join(a, b) {
        a = this.find(a);
        b = this.find(b);
        if (a === b) return 0;
        if (this.size[a] < this.size[b]) [a, b] = [b, a];
        this.parent[b] = a;
        this.size[a] += this.size[b];
        return 1;
    }
}

var countIslands = function(grid) {
    const rows = grid.length, cols = grid[0].length;
    const forest = new Forest(rows * cols);
    let islands = 0;
    for (let r = 0; r < rows; r++) {
        for (let c = 0; c < cols; c++) {
            if (!grid[r][c]) continue;
            islands++;
            const id = r * cols + c;
            if (r > 0 && grid[r - 1][c]) islands -= forest.join(id, id - cols);
            if (c > 0 && grid[r][c - 1]) islands -= forest.join(id, id - 1);
        }
    }
    return islands;
};
