// Signing in: e-mail and password, the second factor where there is one, and setting it up where the tenant asks.
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { ApiError, call } from "../api/client";
import { meQuery, signIn } from "../api/session";
import { t } from "../i18n";
import { span } from "../i18n/format";

export function Login({ ended }: { ended: boolean }) {
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asksCode, setAsksCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    try {
      await signIn(client, email.trim(), password, code.trim());
    } catch (error) {
      if (error instanceof ApiError && error.code === "TOTP_REQUIRED") setAsksCode(true);
      else setTrouble(wording(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)}>
        <div className="row">
          <img src="/mark.svg" alt="" width="24" height="24" />
          <h1>{t("app.name")}</h1>
        </div>
        {ended ? <p className="note">{t("login.ended")}</p> : null}
        <label className="field">
          <span>{t("login.email")}</span>
          <input
            className="input"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </label>
        <label className="field">
          <span>{t("login.password")}</span>
          <input
            className="input"
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </label>
        {asksCode ? <CodeField code={code} setCode={setCode} /> : null}
        <div role="alert">{trouble ? <p className="note bad">{trouble}</p> : null}</div>
        <button type="submit" className="button primary" disabled={busy}>
          {t("login.go")}
        </button>
      </form>
    </main>
  );
}

export function CodeField({ code, setCode }: { code: string; setCode: (code: string) => void }) {
  return (
    <label className="field">
      <span>{t("login.code")}</span>
      <input
        className="input"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        autoFocus
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <span className="hint">{t("login.code.hint")}</span>
    </label>
  );
}

function wording(error: unknown): string {
  if (!(error instanceof ApiError)) return t("state.away");
  if (error.code === "INVALID_CREDENTIALS") return t("login.wrong");
  if (error.code.startsWith("TOTP_")) return t("login.code.wrong");
  if (error.status === 429) return t("login.slow", { span: span(error.retryAfterSec ?? 60) });
  return t("login.other", { reason: error.message });
}

export function Enrol() {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [code, setCode] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);

  const act = async (work: () => Promise<void>) => {
    setTrouble(null);
    try {
      await work();
    } catch (error) {
      setTrouble(wording(error));
    }
  };
  const begin = () => act(async () => setSecret((await call("post", "/api/v1/auth/totp/begin")).secret ?? null));
  const confirm = () =>
    act(async () => {
      const made = await call("post", "/api/v1/auth/totp/confirm", { body: { code: code.trim() } });
      setCodes(made.recovery_codes.map(String));
    });

  return (
    <main className="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void (secret ? confirm() : begin());
        }}
      >
        <h1>{t("enrol.title")}</h1>
        {codes ? (
          <>
            <p>{t("enrol.codes")}</p>
            <ul className="mono">
              {codes.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
            <button
              type="button"
              className="button primary"
              onClick={() => void client.invalidateQueries({ queryKey: meQuery.queryKey })}
            >
              {t("enrol.done")}
            </button>
          </>
        ) : (
          <>
            <p>{t("enrol.why")}</p>
            {secret ? (
              <>
                <dl className="facts">
                  <dt>{t("enrol.secret")}</dt>
                  <dd className="mono">{secret}</dd>
                </dl>
                <CodeField code={code} setCode={setCode} />
              </>
            ) : null}
            <div role="alert">{trouble ? <p className="note bad">{trouble}</p> : null}</div>
            <button type="submit" className="button primary">
              {secret ? t("enrol.confirm") : t("stepup.go")}
            </button>
          </>
        )}
      </form>
    </main>
  );
}
