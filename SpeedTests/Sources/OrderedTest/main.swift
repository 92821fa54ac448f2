import SpeedTestKit

TestProgram.main("Ordered")
