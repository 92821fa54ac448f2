import SpeedTestKit

Comparison.main()
