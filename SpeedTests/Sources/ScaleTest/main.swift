import SpeedTestKit

TestProgram.main("Scale")
