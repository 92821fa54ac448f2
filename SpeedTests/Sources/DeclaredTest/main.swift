import SpeedTestKit

DeclaredProgram.main()
