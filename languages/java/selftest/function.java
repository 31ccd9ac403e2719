class Solution {
    public int[] addTo(int[] values, int amount) {
        return Arrays.stream(values).map(value -> value + amount).toArray();
    }
}
