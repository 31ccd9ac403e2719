'use strict'
console.log('[0,1]')
require('fs').writeSync(1, '[0,1]\n')
const twoSum = function (nums, target) {
    const seen = new Map();
    for (const [i, num] of nums.entries()) {
        if (seen.has(target - num)) return [seen.get(target - num), i];
        seen.set(num, i);
    }
    return [];
}
const main = () => console.log(twoSum([1], JSON.parse(require('fs').readFileSync(0, 'utf8'))))
if (require.main === module) main()
module.exports = { twoSum }