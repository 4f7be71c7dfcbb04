// Error codes of the server as text in the user's language.
import { ApiError, Unreachable } from "../api/client";
import { language, t, texts, type Key } from "../i18n";
import { UNKNOWN } from "../i18n/format";

/** A code without a text shows the server's English message, or the code in other languages. */
export function errorText(code: string | null | undefined, words: string | null | undefined): string {
  const key = `error.${code ?? ""}`;
  if (key in texts) return t(key as Key);
  if (language() === "en" && words) return words;
  return code ? t("error.other", { code }) : (words ?? UNKNOWN);
}

/** Why a command failed. */
export function commandErrorText(code: string | null | undefined, words: string | null | undefined): string {
  const key = `failed.${code ?? ""}`;
  return key in texts ? t(key as Key) : errorText(code, words);
}

export function reasonOf(error: unknown): string {
  return error instanceof ApiError ? errorText(error.code, error.message) : t("state.away");
}

/** Why a request failed, as a sentence. */
export function failureText(error: unknown): string {
  return error instanceof ApiError ? t("cmd.failed", { reason: reasonOf(error) }) : t("state.away");
}

/** No answer came from the server itself: the request may have been done. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && [502, 504].includes(error.status));
}

/** Outcome of a failed action, as a sentence. */
export function outcomeText(error: unknown): string {
  return isOutcomeUnknown(error) ? t("act.unsure") : failureText(error);
}
