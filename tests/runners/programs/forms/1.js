import fs from 'fs';
console.log('[0,1]', fs.readFileSync(0, 'utf8'));
export default function twoSum(nums, target) {
    const seen = new Map();
    for (const [i, num] of nums.entries()) {
        if (seen.has(target - num)) return [seen.get(target - num), i];
        seen.set(num, i);
    }
    return [];
} // end