import SpeedTestKit

TestProgram.main("RandomFetch")
