import SpeedTestKit

TestProgram.main("SmallSave")
