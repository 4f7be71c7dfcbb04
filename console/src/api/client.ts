// Requests to the server: same origin, session cookie and CSRF token; the session is refreshed when it expires.
import { noteAnswer, setConnected } from "./connection";
import type { paths } from "./schema";
import type { ErrorAnswer } from "./types";

export type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = paths[P][M];
type Content<T> = T extends { content: { "application/json": infer C } } ? C : undefined;
type Good<O> = O extends { responses: infer R } ? Content<R[keyof R & (200 | 201)]> : never;
export type Answer<P extends keyof paths, M extends Method = "get"> = Good<Operation<P, M>>;
export type Query<P extends keyof paths, M extends Method = "get"> =
  Operation<P, M> extends { parameters: { query?: infer Q } } ? Q : never;
export type Body<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: infer B } ? Content<NonNullable<B>> : never;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
    readonly retryAfterSec: number | null = null,
  ) {
    super(message);
  }
}

/** The server could not be reached at all. */
export class Unreachable extends Error {}

export type Options = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** What a dangerous action requires again. */
export type Proof = "totp" | "password";

// wrong credentials: a new token would not help, and a second try would count against the limit
const WRONG = new Set(["INVALID_CREDENTIALS", "TOTP_WRONG", "TOTP_REPLAYED", "TOTP_REQUIRED"]);

let csrf: string | null = null;
let isOut = false; // nobody is signed in: further requests would only be rejected
let askStepUp: ((proof: Proof) => Promise<boolean>) | null = null;
let onSignedOut: () => void = () => undefined;

export function setCsrf(token: string | null): void {
  csrf = token;
  isOut = false;
}

export function onStepUp(ask: (proof: Proof) => Promise<boolean>): void {
  askStepUp = ask;
}

export function whenSignedOut(then: () => void): void {
  onSignedOut = then;
}

export async function call<P extends keyof paths & string, M extends Method>(
  method: M,
  path: P,
  options: Options = {},
): Promise<Answer<P, M>> {
  return (await request(method, path, options)) as Answer<P, M>;
}

export function get<P extends keyof paths & string>(path: P, options: Options = {}): Promise<Answer<P>> {
  return call("get", path, options);
}

/** A whole file. */
export async function download<P extends keyof paths & string>(path: P, options: Options = {}): Promise<Blob> {
  return (await request("get", path, options, (response) => response.blob())) as Blob;
}

async function request(
  method: Method,
  template: string,
  options: Options,
  readGood: (response: Response) => Promise<unknown> = (response) => response.json(),
): Promise<unknown> {
  let refreshed = false;
  if (isOut && !template.startsWith("/api/v1/auth/")) throw new ApiError(401, "UNAUTHENTICATED", "");
  for (;;) {
    const response = await send(method, template, options);
    if (response.ok) return response.status === 204 ? undefined : readGood(response);
    const error = await read(response);
    if (error.status === 401 && !refreshed && !WRONG.has(error.code)) {
      refreshed = true;
      if (await refresh()) continue;
      isOut = true;
      onSignedOut();
    }
    const proof = error.details["proof"] === "password" ? "password" : "totp";
    if (error.code === "STEP_UP_REQUIRED" && askStepUp && (await askStepUp(proof))) continue;
    throw error;
  }
}

async function send(method: Method, template: string, options: Options): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (csrf !== null && method !== "get") headers["X-CSRF-Token"] = csrf;
  const init: RequestInit = { method: method.toUpperCase(), headers, credentials: "same-origin" };
  if (options.body !== undefined) init.body = JSON.stringify(options.body);
  if (options.signal) init.signal = options.signal;
  try {
    const response = await fetch(address(template, options), init);
    await noteAnswer(response);
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    setConnected(false);
    throw new Unreachable();
  }
}

export function address(template: string, options: Pick<Options, "path" | "query"> = {}): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(options.path?.[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== "") query.append(name, String(item));
    }
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

async function read(response: Response): Promise<ApiError> {
  // a proxy in between may send anything: no field is taken for granted
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorAnswer>;
  const after = Number(response.headers.get("Retry-After"));
  return new ApiError(
    response.status,
    String(body.error_code ?? `HTTP_${response.status}`),
    String(body.message ?? response.statusText),
    body.details ?? {},
    Number.isFinite(after) && after > 0 ? after : null,
  );
}

let refreshing: Promise<boolean> | null = null;

/** One refresh at a time over all tabs: using a refresh token twice ends the session. */
function refresh(): Promise<boolean> {
  refreshing ??= withLock(async () => {
    const response = await send("post", "/api/v1/auth/refresh", { body: {} });
    if (!response.ok) return false;
    const body = (await response.json()) as { csrf_token?: string };
    if (body.csrf_token) csrf = body.csrf_token;
    return true;
  }).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

async function withLock(work: () => Promise<boolean>): Promise<boolean> {
  if (!("locks" in navigator)) return work();
  return navigator.locks.request("hi.refresh", async () => {
    // another tab may have refreshed while this one waited
    const still = await send("get", "/api/v1/auth/me", {});
    return still.ok || (await work());
  });
}

export async function renew(): Promise<boolean> {
  if (isOut) return false;
  try {
    return await refresh();
  } catch {
    return false;
  }
}
