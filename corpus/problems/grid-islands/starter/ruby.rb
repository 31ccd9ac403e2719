# @param {Integer[][]} grid
# @return {Integer}
def count_islands(grid)
    
end
