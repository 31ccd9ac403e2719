/**
 * @param {number} start
 */
var Kit = function(start) {
    this.sum = start
};

/**
 * @param {number} x
 * @return {void}
 */
Kit.prototype.add = function(x) {
    this.sum += x
};

Kit.prototype.total = function() {
    return this.sum
};

Kit.prototype.sortValues = function(nums) {
    nums.sort((a, b) => a - b)
};

Kit.prototype.reversedList = function(head) {
    let last = null
    while (head) [head.next, last, head] = [last, head, head.next]
    return last
};

Kit.prototype.mirrored = function(root) {
    const queue = root ? [root] : []
    for (const node of queue) {
        [node.left, node.right] = [node.right, node.left]
        if (node.left) queue.push(node.left)
        if (node.right) queue.push(node.right)
    }
    return root
};

Kit.prototype.depthOf = function(n) {
    return n === 0 ? 0 : 1 + this.depthOf(n - 1)
};

Kit.prototype.noisy = function(s) {
    console.log(s)
    process.stdout.write("[1,2]\n")
    return s + s
}
