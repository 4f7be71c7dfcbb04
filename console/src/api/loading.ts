// Loads chunks on demand, and retries while the server is away.
import { t } from "../i18n";
import { showToast } from "../ui/toast";

const AGAIN_MS = 2000;
const PATIENCE = 2; // failed tries before a message is shown

/** A page of the program, once the server is there. What is missing even then belongs to an older version: it is thrown,
 * and the router reloads.
 */
export async function loadPage<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await loadChunk(answered);
    return load();
  }
}

async function answered(): Promise<void> {
  const { ok } = await fetch("/", { cache: "no-store" });
  if (!ok) throw new Error();
}

/** Asked for until it is there. A part that is gone for good belongs to an older version, which only a reload ends. */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  for (let no = 1; ; no++) {
    try {
      return await load();
    } catch {
      if (no === PATIENCE) showToast(t("load.failed"));
      await new Promise((then) => setTimeout(then, AGAIN_MS));
    }
  }
}
