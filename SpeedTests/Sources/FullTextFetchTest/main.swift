import SpeedTestKit

RatioProgram.main("FullTextFetch")
