# @param {Integer[]} nums
# @return {Integer}
def longest_rising(nums)
    
end
