"""Avalons: name | TH/s | W | J/TH | boards | chips a board | fans | cooling | note. Data only."""

AVALONS = """
Avalon A1026     | 30   | 2070 | 69   | 3 | 80  | 2 | air       | ~
Avalon A1047     | 37   | 2380 | 64   | 2 | 120 | 2 | air       | ~
Avalon A1066     | 50   | 3250 | 65   | 3 | 114 | 4 | air       |
Avalon A1066 Pro | 55   | 3300 | 60   | 3 | 114 | 4 | air       | ~
Avalon A1126 Pro | 68   | 3420 | 50   | 3 | 120 | 4 | air       | ~ sold with 60 to 68 TH/s
Avalon A1146     | 56   | 3192 | 57   | 3 | ?   | 4 | air       | ~
Avalon A1146 Pro | 63   | 3276 | 52   | 3 | ?   | 4 | air       | ~
Avalon A1166     | 68   | 3196 | 47   | 3 | 120 | 4 | air       | ~
Avalon A1166 Pro | 81   | 3400 | 42   | 3 | 120 | 4 | air       | ~ sold with 68 to 81 TH/s
Avalon A1246     | 90   | 3420 | 38   | 3 | 120 | 4 | air       | ~ sold with 81 to 96 TH/s
Avalon A1266     | 100  | 3500 | 35   | 3 | ?   | 4 | air       | ~
Avalon A1346     | 110  | 3300 | 30   | 3 | ?   | 2 | air       | ~ sold with 104 to 126 TH/s
Avalon A1366     | 130  | 3250 | 25   | 3 | 120 | 2 | air       | ~120 chips a board
Avalon A1446     | 135  | 3310 | 24.5 | 3 | ?   | 2 | air       | ~ sold with 126 to 140 TH/s
Avalon A1466     | 150  | 3230 | 21.5 | 3 | 176 | 2 | air       | ~
Avalon A1466I    | 170  | 3315 | 19.5 | 3 | ?   | 0 | immersion | ~ sold with 150 to 170 TH/s
Avalon A1566     | 185  | 3420 | 18.5 | 3 | 160 | 2 | air       | ~ sold with 170 to 195 TH/s
Avalon A1566HA   | 480  | 8064 | 16.8 | 4 | 160 | 0 | hydro     | ~
Avalon A1566HU   | 262  | 4900 | 18.7 | 3 | 160 | 0 | hydro     | ~
Avalon A1566I    | 249  | 4500 | 18   | 3 | ?   | 0 | immersion | ~
Avalon A15       | 194  | 3647 | 18.8 | 3 | 160 | 2 | air       | ~
Avalon A15 Pro   | 218  | 3662 | 16.8 | 3 | 160 | 2 | air       | ~
Avalon A15 XP    | 206  | 3667 | 17.8 | 3 | ?   | 2 | air       | ~
Avalon A16       | 282  | 3900 | 13.8 | 3 | ?   | 2 | air       | ± 5 % TH/s, ± 10 % W
Avalon A16 XP    | 300  | 3850 | 12.8 | 3 | ?   | 2 | air       | ± 5 % TH/s, ± 10 % W
Avalon Nano 3    | 4    | 140  | 35   | 1 | 10  | 1 | air       |
Avalon Nano 3S   | 6    | 140  | 23.3 | 1 | 12  | 1 | air       |
Avalon Mini 3    | 37.5 | 800  | 21.3 | 1 | ?   | 2 | air       | ~
Avalon Q         | 90   | 1674 | 18.6 | 1 | 160 | 4 | air       |
"""
