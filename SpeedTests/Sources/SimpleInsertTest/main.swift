import SpeedTestKit

TestProgram.main("SimpleInsert")
