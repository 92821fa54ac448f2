import SpeedTestKit

TestProgram.main("NamedBufferFetch")
