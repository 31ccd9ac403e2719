# @param {String} s
# @return {Integer}
def longest_balanced(s)
    
end
