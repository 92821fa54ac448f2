import SpeedTestKit

RatioProgram.main("FullTextTyped")
