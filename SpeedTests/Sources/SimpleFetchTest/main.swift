import SpeedTestKit

TestProgram.main("SimpleFetch")
