"""Further makes: name | TH/s | W | J/TH | boards | chips a board | fans | cooling | note. Data only."""

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
