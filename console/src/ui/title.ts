// Title of the page in the browser's tab and history.
import { useEffect } from "react";
import { t } from "../i18n";

export function useTitle(...names: (string | null | undefined)[]): void {
  const title = [...names, t("app.name")].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
