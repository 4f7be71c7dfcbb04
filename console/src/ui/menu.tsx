// A button that opens a list below it; Escape, a click or the focus elsewhere close it.
import { useEffect, useRef, useState, type ReactNode } from "react";

export function Menu({
  label,
  button,
  children,
  end = false,
  isIcon = false,
}: {
  label: string; // what it is for; said aloud only where the button shows no words of its own
  isIcon?: boolean;
  button: ReactNode;
  children: (close: () => void) => ReactNode;
  end?: boolean;
}) {
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: MouseEvent) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation(); // it is for the list alone, not for what is selected on the page
      setOpen(false);
      place.current?.querySelector("button")?.focus(); // what had the focus is gone with the list
    };
    document.addEventListener("mousedown", outside);
    document.addEventListener("keydown", escape, true);
    return () => {
      document.removeEventListener("mousedown", outside);
      document.removeEventListener("keydown", escape, true);
    };
  }, [open]);
  return (
    <div
      ref={place}
      className="menu-place"
      onBlur={(event) => {
        if (event.relatedTarget && !place.current?.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <button
        type="button"
        className="button plain"
        {...(isIcon ? { "aria-label": label } : { title: label })}
        aria-expanded={open}
        aria-haspopup="true"
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open ? <div className={`menu ${end ? "end" : ""}`}>{children(() => setOpen(false))}</div> : null}
    </div>
  );
}
