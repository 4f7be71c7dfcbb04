// A part that stands on the registry: where a server does not offer one, it says so in a line.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { t } from "../i18n";
import { Part } from "../ui/states";

export function isOff(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export function RegistryPart<T>(props: { of: UseQueryResult<T>; rows?: number; children: (data: T) => ReactNode }) {
  if (props.of.data === undefined && isOff(props.of.error)) return <p className="body quiet">{t("problems.off")}</p>;
  return <Part {...props} />;
}
