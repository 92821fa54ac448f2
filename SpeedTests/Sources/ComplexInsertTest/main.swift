import SpeedTestKit

TestProgram.main("ComplexInsert")
