# @param {Integer} n
# @return {Integer}
def totient_sum(n)
    
end
