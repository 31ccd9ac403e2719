// Runs of land in each row, joined with overlapping runs of the row above.
var countIslands = function(grid) {
    const parent = [];
    const find = (a) => {
        while (parent[a] !== a) a = parent[a] = parent[parent[a]];
        return a;
    };
    let islands = 0, above = [];
    for (const row of grid) {
        const runs = [];
        for (let from = row.indexOf(1); from >= 0; ) {
            let to = row.indexOf(0, from);
            if (to < 0) to = row.length;
            runs.push({ from, to, id: parent.length });
            parent.push(parent.length);
            from = row.indexOf(1, to);
        }
        islands += runs.length;
        for (let i = 0, j = 0; i < above.length && j < runs.length; ) {
            const a = above[i], b = runs[j];
            if (a.from < b.to && b.from < a.to) {
                const x = find(a.id), y = find(b.id);
                if (x !== y) {
                    parent[Math.max(x, y)] = Math.min(x, y);
                    islands--;
                }
            }
            if (a.to < b.to) i++;
            else j++;
        }
        above = runs;
    }
    return islands;
};
