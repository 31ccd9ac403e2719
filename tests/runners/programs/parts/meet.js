var solve = function(a, b) {
    let x = a, y = b;
    while (x !== y) {
        x = x ? x.next : b;
        y = y ? y.next : a;
    }
    return x;
};
