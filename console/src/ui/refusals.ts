// Why the server refused, in the reader's language: by its code, never by its words.
import { ApiError } from "../api/client";
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
