import SpeedTestKit

RatioProgram.main("Ledger")
