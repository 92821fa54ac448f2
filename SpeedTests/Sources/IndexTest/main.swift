import SpeedTestKit

RatioProgram.main("Index")
