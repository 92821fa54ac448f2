import SpeedTestKit

RatioProgram.main("FullTextInsert")
