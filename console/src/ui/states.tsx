// Loading, empty, failed and forbidden states.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError, Unreachable } from "../api/client";
import { t } from "../i18n";
import { reasonOf } from "./errors";

const WIDTHS = ["w1", "w2", "w3", "w4"];

export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div className="bones" role="status" aria-label={t("state.loading")}>
      {Array.from({ length: rows }, (_, no) => (
        <div key={no} className={`bone ${WIDTHS[no % WIDTHS.length] ?? ""}`} />
      ))}
    </div>
  );
}

export function Empty({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="state">
      <strong>{title}</strong>
      {hint ? <span>{hint}</span> : null}
      {children}
    </div>
  );
}

export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  if (error instanceof ApiError && error.status === 403) {
    return <Empty title={t("state.forbidden")} hint={t("state.forbidden.hint")} />;
  }
  if (error instanceof ApiError && error.status === 404) {
    return <Empty title={t("state.missing")} hint={t("state.missing.hint")} />;
  }
  const away = error instanceof Unreachable;
  const hint = error instanceof ApiError ? reasonOf(error) : undefined;
  return (
    <Empty title={away ? t("state.away") : t("state.error")} {...(hint ? { hint } : {})}>
      {again ? (
        <button type="button" className="button" onClick={again}>
          {t("state.again")}
        </button>
      ) : null}
    </Empty>
  );
}

/** A section for one query: a skeleton, then its content; old content stays while the server is away. */
export function Part<T>({
  of,
  rows,
  children,
}: {
  of: UseQueryResult<T>;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.isError) return <Failed error={of.error} again={() => void of.refetch()} />;
  return <Skeleton {...(rows ? { rows } : {})} />;
}
