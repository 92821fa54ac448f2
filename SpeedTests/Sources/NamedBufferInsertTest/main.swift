import SpeedTestKit

TestProgram.main("NamedBufferInsert")
