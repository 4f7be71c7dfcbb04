// Toasts: short messages for a few seconds.
import { useSyncExternalStore } from "react";
import { t } from "../i18n";

type Toast = { id: number; text: string };

let toasts: Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function change(to: Toast[]): void {
  toasts = to;
  for (const listener of listeners) listener();
}

export function showToast(text: string): void {
  const id = next++;
  change([...toasts.slice(-3), { id, text }]);
  window.setTimeout(() => drop(id), 7000);
}

function drop(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} className="toast">
          <span className="grow">{toast.text}</span>
          <button type="button" className="button plain" onClick={() => drop(toast.id)}>
            {t("act.close")}
          </button>
        </div>
      ))}
    </div>
  );
}
