"""Machine models as tables: name | TH/s | W | J/TH | boards | chips per board | fans | cooling | note. Data only.

From public data sheets; `~` in a note: approximate.
"""

ANTMINERS = """
Antminer S9              | 13.5 | 1323 | 98   | 3 | 63      | 2 | air       | ~ sold with 11.5 to 14 TH/s
Antminer S9i             | 14   | 1320 | 94.3 | 3 | 63      | 2 | air       | ~ sold with 13 to 14.5 TH/s
Antminer S9j             | 14.5 | 1350 | 93.1 | 3 | 63      | 2 | air       |
Antminer S9k             | 13.5 | 1148 | 85   | 3 | ?       | 2 | air       | ~
Antminer S9 SE           | 16   | 1280 | 80   | 3 | ?       | 2 | air       | ~
Antminer S9 Hydro        | 18   | 1728 | 96   | 4 | ?       | 0 | hydro     | ~
Antminer T9              | 12.5 | 1576 | 126  | 3 | 54-57   | 2 | air       | ~ sold with 11.5 and 12.5 TH/s
Antminer T9+             | 10.5 | 1432 | 136  | 3 | ?       | 2 | air       |
Antminer S11             | 20.5 | 1530 | 75   | 3 | ?       | 2 | air       | ~ sold with 19 to 20.5 TH/s
Antminer S15             | 28   | 1596 | 57   | 4 | ?       | 2 | air       | ~
Antminer T15             | 23   | 1541 | 67   | 3 | ?       | 2 | air       | ~
Antminer S17             | 53   | 2385 | 45   | 3 | 48      | 4 | air       | ~ sold with 53 and 56 TH/s
Antminer S17 Pro         | 53   | 2094 | 39.5 | 3 | 48      | 4 | air       | ~ sold with 50 to 59 TH/s
Antminer S17+            | 73   | 2920 | 40   | 3 | 65      | 4 | air       | ~ sold with 67 to 76 TH/s
Antminer S17e            | 64   | 2880 | 45   | 3 | 135     | 4 | air       | ~ sold with 60 and 64 TH/s
Antminer T17             | 40   | 2200 | 55   | 3 | 30      | 4 | air       |
Antminer T17+            | 64   | 3200 | 50   | 3 | 44      | 4 | air       | ~ sold with 55 to 64 TH/s
Antminer T17e            | 53   | 2915 | 55   | 3 | 78      | 4 | air       | ~ sold with 50 and 53 TH/s
Antminer S19             | 95   | 3250 | 34   | 3 | 76      | 4 | air       | sold with 82 to 95 TH/s
Antminer S19 Pro         | 110  | 3250 | 29.5 | 3 | 114     | 4 | air       | fans to 6150 rpm
Antminer S19 Pro+        | 120  | 3250 | 27   | 3 | 120     | 4 | air       | ~
Antminer S19+            | 100  | 3250 | 32.5 | 3 | 80      | 4 | air       | ~
Antminer S19a            | 96   | 3250 | 34   | 3 | 72      | 4 | air       | ~
Antminer S19a Pro        | 110  | 3245 | 29.5 | 3 | 100     | 4 | air       | ~
Antminer S19i            | 90   | 3250 | 36   | 3 | 80      | 4 | air       | ~
Antminer S19L            | 86   | 2970 | 34.5 | 3 | 76      | 4 | air       | ~
Antminer S19j            | 90   | 3100 | 34.5 | 3 | 114     | 4 | air       | ~ sold with 86 to 94 TH/s
Antminer S19j NoPIC      | 90   | 3100 | 34.5 | 3 | 88      | 4 | air       | ~
Antminer S19j Pro        | 104  | 3050 | 30   | 3 | 126     | 4 | air       | ~3050 W; sold with 92 to 104 TH/s
Antminer S19j Pro+       | 122  | 3355 | 27.5 | 3 | 120     | 4 | air       | ~ sold with 117 to 122 TH/s
Antminer S19k Pro        | 120  | 2760 | 23   | 3 | 77      | 4 | air       | ~ sold with 110 to 136 TH/s
Antminer S19 XP          | 140  | 3010 | 21.5 | 3 | 110     | 4 | air       | no PIC: one dead board stops the unit
Antminer S19j XP         | 151  | 3247 | 21.5 | 3 | 110     | 4 | air       | ~
Antminer S19 Hyd.        | 158  | 5451 | 34.5 | 4 | 104     | 0 | hydro     | ~ sold with 145 to 158 TH/s
Antminer S19 Pro Hyd.    | 184  | 5428 | 29.5 | 4 | 180     | 0 | hydro     | ~ sold with 170 to 184 TH/s
Antminer S19 Pro+ Hyd.   | 198  | 5445 | 27.5 | 4 | 180     | 0 | hydro     | ~ sold with 184 to 198 TH/s
Antminer S19 XP Hyd.     | 257  | 5345 | 20.8 | 3 | 204     | 0 | hydro     | ~ sold with 246 to 257 TH/s
Antminer S19 XP+ Hyd.    | 293  | 5567 | 19   | 4 | ?       | 0 | hydro     | ~ sold with 279 and 293 TH/s
Antminer S19e XP Hyd.    | 251  | 5446 | 21.7 | 4 | ?       | 0 | hydro     | ~
Antminer T19             | 84   | 3150 | 37.5 | 3 | 76      | 4 | air       | ~ sold with 84 and 88 TH/s
Antminer T19 Hyd.        | 158  | 5451 | 34.5 | 4 | ?       | 0 | hydro     | ~
Antminer T19 Pro Hyd.    | 235  | 5170 | 22   | 4 | ?       | 0 | hydro     | ~
Antminer S21             | 200  | 3500 | 17.5 | 3 | 108     | 4 | air       | derates above 40 °C ambient
Antminer S21+            | 216  | 3564 | 16.5 | 3 | 55      | 4 | air       | ~ sold with 216 to 235 TH/s
Antminer S21 Pro         | 234  | 3510 | 15   | 3 | 65      | 4 | air       |
Antminer S21 XP          | 270  | 3645 | 13.5 | 3 | 91      | 4 | air       |
Antminer S21 Hyd.        | 335  | 5360 | 16   | 3 | 216     | 0 | hydro     | ~ sold with 302 to 335 TH/s
Antminer S21+ Hyd.       | 319  | 4785 | 15   | 3 | 95      | 0 | hydro     | ~ sold with 319 to 395 TH/s
Antminer S21 XP Hyd.     | 473  | 5676 | 12   | 3 | ?       | 0 | hydro     |
Antminer S21 XP+ Hyd.    | 500  | 5500 | 11   | 3 | ?       | 0 | hydro     | ~
Antminer S21e Hyd.       | 288  | 4896 | 17   | 3 | ?       | 0 | hydro     | ~
Antminer S21e XP Hyd.    | 430  | 5590 | 13   | 3 | 160     | 0 | hydro     |
Antminer S21e XP Hyd. 3U | 860  | 11180 | 13  | 6 | ?       | 0 | hydro     | ~
Antminer S21 Immersion   | 301  | 5569 | 18.5 | 3 | ?       | 0 | immersion | ~
Antminer S21 XP Immersion | 300 | 4050 | 13.5 | 3 | ?       | 0 | immersion | ~
Antminer T21             | 190  | 3400 | 19   | 3 | 108     | 4 | air       | ~3400 W; 7 % more by day
Antminer S23             | 318  | 3498 | 11   | 3 | ?       | 4 | air       | ~
Antminer S23 Hyd.        | 580  | 5510 | 9.5  | 3 | ?       | 0 | hydro     | ~
Antminer S23 Hyd. 3U     | 1160 | 11020 | 9.5 | 6 | ?       | 0 | hydro     | ~
Antminer S23 Immersion   | 442  | 5304 | 12   | 3 | ?       | 0 | immersion | ~
"""


# MicroBT sells each name in steps of 2 TH/s at the same J/TH, with chip counts that differ between hardware versions
# ("VH60"): the ratings are the common ones.
WHATSMINERS = """
Whatsminer M20    | 45  | 2160 | 48   | 3 | 70      | 2 | air       | ~
Whatsminer M20S   | 68  | 3360 | 49.4 | 3 | 105-140 | 2 | air       | ~ sold with 62 to 70 TH/s
Whatsminer M21    | 31  | 1860 | 60   | 3 | 33      | 2 | air       | ~ sold with 28 to 31 TH/s
Whatsminer M21S   | 56  | 3360 | 60   | 3 | 66-111  | 2 | air       | ~ sold with 50 to 58 TH/s
Whatsminer M30S   | 88  | 3344 | 38   | 3 | 64-172  | 2 | air       | ~ sold with 86 to 92 TH/s
Whatsminer M30S+  | 100 | 3400 | 34   | 3 | 64-255  | 2 | air       | ~ sold with 96 to 108 TH/s
Whatsminer M30S++ | 112 | 3470 | 31   | 3 | 70-255  | 2 | air       | ~3470 W; 100 to 114 TH/s; VK30 has 2 boards
Whatsminer M31S   | 74  | 3404 | 46   | 3 | 70-123  | 2 | air       | ~ sold with 66 to 80 TH/s
Whatsminer M31S+  | 80  | 3360 | 42   | 3 | 66-156  | 2 | air       | ~ sold with 76 to 84 TH/s
Whatsminer M32    | 62  | 3348 | 54   | 3 | 74-78   | 2 | air       | ~ sold with 62 to 68 TH/s
Whatsminer M32S   | 66  | 3432 | 52   | 3 | ?       | 2 | air       | ~
Whatsminer M33S   | 212 | 7208 | 34   | 4 | 116     | 0 | hydro     | ~
Whatsminer M33S+  | 220 | 7480 | 34   | 4 | 100-162 | 0 | hydro     | ~
Whatsminer M33S++ | 242 | 7502 | 31   | 4 | 112-174 | 0 | hydro     | ~
Whatsminer M36S   | 164 | 5576 | 34   | 4 | 114     | 0 | immersion | ~
Whatsminer M36S+  | 170 | 5780 | 34   | 4 | 108     | 0 | immersion | ~
Whatsminer M36S++ | 178 | 5518 | 31   | 4 | 80      | 0 | immersion | ~
Whatsminer M50    | 114 | 3306 | 29   | 3 | 84-255  | 2 | air       | ~ sold with 110 to 120 TH/s
Whatsminer M50S   | 126 | 3280 | 26   | 3 | 74-156  | 2 | air       | ~3280 W; sold with 120 to 136 TH/s
Whatsminer M50S+  | 140 | 3360 | 24   | 3 | 82-180  | 2 | air       | ~ sold with 130 to 146 TH/s
Whatsminer M50S++ | 150 | 3300 | 22   | 3 | 82-156  | 2 | air       | ~ sold with 140 to 160 TH/s
Whatsminer M53    | 226 | 6554 | 29   | 4 | 100-174 | 0 | hydro     | ~ sold with 220 to 240 TH/s
Whatsminer M53S   | 250 | 6500 | 26   | 4 | 128-228 | 0 | hydro     | ~ sold with 230 to 264 TH/s
Whatsminer M53S+  | 290 | 6960 | 24   | 4 | 168-264 | 0 | hydro     | ~
Whatsminer M53S++ | 320 | 7040 | 22   | 4 | 128-240 | 0 | hydro     | ~
Whatsminer M56    | 194 | 5626 | 29   | 4 | 108     | 0 | immersion | ~
Whatsminer M56S   | 212 | 5512 | 26   | 4 | 132-152 | 0 | immersion | ~
Whatsminer M56S+  | 220 | 5280 | 24   | 4 | 108-176 | 0 | immersion | ~ sold with 200 to 240 TH/s
Whatsminer M56S++ | 230 | 5060 | 22   | 4 | 132-176 | 0 | immersion | ~ sold with 230 to 254 TH/s
Whatsminer M60    | 172 | 3422 | 19.9 | 3 | 82-215  | 2 | air       | ~ sold with 156 to 178 TH/s
Whatsminer M60S   | 186 | 3440 | 18.5 | 3 | 78-245  | 2 | air       | ~3440 W; sold with 170 to 196 TH/s
Whatsminer M60S+  | 212 | 3604 | 17   | 3 | 82-306  | 2 | air       | ~ sold with 190 to 216 TH/s
Whatsminer M60S++ | 226 | 3503 | 15.5 | 3 | 117-294 | 2 | air       | ~ sold with 210 to 236 TH/s
Whatsminer M61    | 200 | 3980 | 19.9 | 3 | 135-192 | 2 | air       | ~
Whatsminer M61S   | 220 | 4070 | 18.5 | 3 | 117-235 | 2 | air       | ~
Whatsminer M61S+  | 240 | 4080 | 17   | 3 | 204-225 | 2 | air       | ~
Whatsminer M63    | 334 | 6646 | 19.9 | 4 | 174-272 | 0 | hydro     | ~ sold with 330 to 366 TH/s
Whatsminer M63S   | 390 | 7215 | 18.5 | 4 | 128-370 | 0 | hydro     | ~ sold with 360 to 412 TH/s
Whatsminer M63S+  | 424 | 7208 | 17   | 4 | 136-456 | 0 | hydro     | ~
Whatsminer M63S++ | 464 | 7192 | 15.5 | 4 | 152-380 | 0 | hydro     | ~
Whatsminer M64    | 204 | 4060 | 19.9 | 4 | 96-120  | 0 | hydro     | ~ sold with 202 to 206 TH/s
Whatsminer M65S   | 390 | 7308 | 18.7 | 4 | 288-350 | 0 | hydro     | ~ sold with 390 to 412 TH/s
Whatsminer M65S+  | 440 | 7480 | 17   | 4 | 340-456 | 0 | hydro     | ~
Whatsminer M66    | 276 | 5492 | 19.9 | 4 | 160-192 | 0 | immersion | ~ sold with 238 to 280 TH/s
Whatsminer M66S   | 298 | 5513 | 18.5 | 4 | 160-384 | 0 | immersion | ~ sold with 270 to 310 TH/s; some with 3 boards
Whatsminer M66S+  | 318 | 5406 | 17   | 4 | 200-440 | 0 | immersion | ~ some with 3 boards
Whatsminer M66S++ | 356 | 5518 | 15.5 | 4 | 138-368 | 0 | immersion | ~ some with 3 boards
Whatsminer M70    | 220 | 3190 | 14.5 | 3 | 135-255 | 2 | air       | ~ first figures of the maker
Whatsminer M70S   | 244 | 3294 | 13.5 | 3 | 204     | 2 | air       | ~ first figures of the maker
Whatsminer M70S+  | 258 | 3225 | 12.5 | 3 | 245     | 2 | air       | ~ first figures of the maker
Whatsminer M73    | 470 | 6815 | 14.5 | 4 | 204-380 | 0 | hydro     | ~ first figures of the maker
Whatsminer M73S   | 500 | 6750 | 13.5 | 4 | 304     | 0 | hydro     | ~ first figures of the maker
Whatsminer M73S+  | 540 | 6750 | 12.5 | 4 | 380     | 0 | hydro     | ~ first figures of the maker
Whatsminer M76    | 336 | 4872 | 14.5 | 3 | 176-384 | 0 | immersion | ~ first figures of the maker
Whatsminer M76S   | 362 | 4887 | 13.5 | 3 | 240     | 0 | immersion | ~ first figures of the maker
Whatsminer M76S+  | 390 | 4875 | 12.5 | 3 | ?       | 0 | immersion | ~ first figures of the maker
Whatsminer M78S   | 472 | 6372 | 13.5 | 3 | 384     | 0 | immersion | ~ first figures of the maker
Whatsminer M79S   | 930 | 12555 | 13.5 | 8 | 304    | 0 | hydro     | ~ first figures of the maker
"""


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


OTHER_MAKES = {
    "Bitdeer": """
Sealminer A2          | 226  | 3730 | 16.5 | 3 | 153 | 4 | air       | ~
Sealminer A2 Pro      | 255  | 3800 | 14.9 | 3 | ?   | 4 | air       | ~
Sealminer A2 Hyd.     | 446  | 7360 | 16.5 | 4 | ?   | 0 | hydro     | ~
Sealminer A2 Pro Hyd. | 500  | 7450 | 14.9 | 4 | ?   | 0 | hydro     | ~
""",
    "Auradine": """
Teraflux AT1500       | 155  | 3400 | 22   | 3 | 132 | 4 | air       | ~
Teraflux AT2880       | 260  | 4160 | 16   | 3 | 138 | 4 | air       | ~
Teraflux AI2500       | 240  | 5280 | 22   | 3 | ?   | 0 | immersion | ~
Teraflux AI3680       | 375  | 5625 | 15   | 3 | ?   | 0 | immersion | ~
Teraflux AH3880       | 600  | 8700 | 14.5 | 3 | ?   | 0 | hydro     | ~
""",
    "Bitaxe": """
Bitaxe Max            | 0.4  | 14   | 35   | 1 | 1   | 1 | air       | ~
Bitaxe Ultra          | 0.5  | 12   | 24   | 1 | 1   | 1 | air       | ~
Bitaxe Supra          | 0.65 | 14   | 21.5 | 1 | 1   | 1 | air       | ~
Bitaxe Gamma          | 1.2  | 18   | 15   | 1 | 1   | 1 | air       | ~
""",
}
