// A section that needs the problem registry, with a line for servers without one.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { t } from "../i18n";
import { Part } from "../ui/states";

export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export function RegistryPart<T>(props: { of: UseQueryResult<T>; rows?: number; children: (data: T) => ReactNode }) {
  if (props.of.data === undefined && isUnavailable(props.of.error)) return <p className="body quiet">{t("problems.off")}</p>;
  return <Part {...props} />;
}
