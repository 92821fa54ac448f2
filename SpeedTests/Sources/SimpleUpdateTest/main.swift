import SpeedTestKit

TestProgram.main("SimpleUpdate")
