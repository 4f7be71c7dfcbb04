"""From bytes to rows: unpacked, decoded, normalised, judged; pure."""
