#include <iostream>
#include <vector>

int main() {
    int n = 0;
    std::cin >> n;
    std::vector<int> values(n);
    for (int& value : values) std::cin >> value;
    long long inversions = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) inversions += values[i] > values[j];
    std::cout << inversions << "\n";
}
