import SpeedTestKit

TestProgram.main("ComplexFetch")
