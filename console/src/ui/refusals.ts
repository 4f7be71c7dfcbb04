// Why the server refused, in the reader's language: by its code, never by its words.
import { ApiError, Unreachable } from "../api/client";
import { language, t, texts, type Key } from "../i18n";
import { UNKNOWN } from "../i18n/format";

/** Where a code has no text of ours, English readers get the server's own words, others the code. */
export function refusal(code: string | null | undefined, words: string | null | undefined): string {
  const key = `refused.${code ?? ""}`;
  if (key in texts) return t(key as Key);
  if (language() === "en" && words) return words;
  return code ? t("refused.other", { code }) : (words ?? UNKNOWN);
}

/** Why a command failed; what the machine itself said is beside it in its own words. */
export function failure(code: string | null | undefined, words: string | null | undefined): string {
  const key = `failed.${code ?? ""}`;
  return key in texts ? t(key as Key) : refusal(code, words);
}

export function wording(error: unknown): string {
  return error instanceof ApiError ? refusal(error.code, error.message) : t("state.away");
}

/** Why nothing came of it, as a sentence: refused, or nobody there. */
export function troubleOf(error: unknown): string {
  return error instanceof ApiError ? t("cmd.failed", { reason: wording(error) }) : t("state.away");
}

/** No answer of the server itself came: what was asked for may have been done all the same. */
export function isUnsure(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && [502, 504].includes(error.status));
}

/** What became of an act that failed, as a sentence. */
export function outcomeOf(error: unknown): string {
  return isUnsure(error) ? t("act.unsure") : troubleOf(error);
}
