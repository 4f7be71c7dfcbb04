"""Antminers: name | TH/s | W | J/TH | boards | chips a board | fans | cooling | note. Data only."""

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
