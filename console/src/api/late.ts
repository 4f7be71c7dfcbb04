// Parts of the program that come when they are needed: a server that is away just then does not break the page.
import { t } from "../i18n";
import { say } from "../ui/toast";

const AGAIN_MS = 2000;
const PATIENCE = 2; // vain tries, before anything is said

/** A page of the program, once the server is there. What is missing even then belongs to an older version: it is thrown,
 * and the router reloads.
 */
export async function latePage<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await late(answered);
    return load();
  }
}

async function answered(): Promise<void> {
  const { ok } = await fetch("/", { cache: "no-store" });
  if (!ok) throw new Error();
}

/** Asked for until it is there. A part that is gone for good belongs to an older version, which only a reload ends. */
export async function late<T>(load: () => Promise<T>): Promise<T> {
  for (let no = 1; ; no++) {
    try {
      return await load();
    } catch {
      if (no === PATIENCE) say(t("late.failed"));
      await new Promise((then) => setTimeout(then, AGAIN_MS));
    }
  }
}
