"""Whatsminers: name | TH/s | W | J/TH | boards | chips a board | fans | cooling | note. Data only.

MicroBT sells each name in steps of 2 TH/s at the same J/TH, and fits other chip counts from one hardware version
("VH60") to the next: all ratings here are the common ones.
"""

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
