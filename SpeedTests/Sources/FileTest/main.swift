import SpeedTestKit

RatioProgram.main("File")
