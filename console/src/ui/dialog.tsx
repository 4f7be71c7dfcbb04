// A dialog of the browser itself: it keeps the focus inside, and Escape closes it.
import { useId, useLayoutEffect, useRef, type ReactNode } from "react";

export function Dialog({
  title,
  onClose,
  className = "",
  children,
}: {
  title: string;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}) {
  const place = useRef<HTMLDialogElement>(null);
  const id = useId();
  // before it is removed: only then does the browser restore the focus
  useLayoutEffect(() => {
    const dialog = place.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={place}
      className={`dialog ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        // a click next to a form must not lose what was typed
        if (event.target === place.current && !place.current.querySelector("form")) onClose();
      }}
    >
      <h1 id={id} className={className ? "hidden-label" : "dialog-title"}>
        {title}
      </h1>
      {children}
    </dialog>
  );
}
