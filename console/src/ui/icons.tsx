// Icons of one weight, drawn on a grid of 16.
const PATHS = {
  fleet: "M2 3h5v4H2zM9 3h5v4H9zM2 9h5v4H2zM9 9h5v4H9z",
  map: "M2 2h3v3H2zM6.5 2h3v3h-3zM11 2h3v3h-3zM2 6.5h3v3H2zM6.5 6.5h3v3h-3zM11 6.5h3v3h-3zM2 11h3v3H2zM6.5 11h3v3h-3zM11 11h3v3h-3z",
  problems: "M8 2 14.5 13.5H1.5ZM8 6.5v3.5M8 11.6v.6",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9ZM10.4 10.4 14 14",
  user: "M8 2.5a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 0 0 0-5.6ZM2.5 14c.6-3 2.7-4.2 5.5-4.2s4.9 1.2 5.5 4.2",
  down: "M4 6.5 8 10.5 12 6.5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
} as const;

export function Icon({ of }: { of: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" strokeWidth="1.3" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  );
}
