class Solution:
    def addTo(self, values: List[int], amount: int) -> List[int]:
        return [value + amount for value in values]
