(;FF[4]CA[UTF-8]AP[Malecon:0.1.0]SZ[3]
)
