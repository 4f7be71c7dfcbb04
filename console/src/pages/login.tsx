// Sign-in: e-mail and password, the authenticator code, and its setup where the tenant requires it.
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type InputHTMLAttributes, type ReactNode } from "react";
import { ApiError, call } from "../api/client";
import { meQuery, signIn } from "../api/session";
import { setLanguage, t, useLanguage } from "../i18n";
import { span } from "../i18n/format";
import { errorText } from "../ui/errors";

export function Login({ ended }: { ended: boolean }) {
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asksCode, setAsksCode] = useState(false);
  const submit = async () => {
    try {
      await signIn(client, email.trim(), password, code.trim());
    } catch (error) {
      if (error instanceof ApiError && error.code === "TOTP_REQUIRED") setAsksCode(true);
      else throw error;
    }
  };
  return (
    <SignInForm title={t("app.name")} submit={submit} go={t("login.go")} isOver={ended}>
      {ended ? <p className="note">{t("login.ended")}</p> : null}
      <Field label={t("login.email")} type="email" autoComplete="username" autoFocus value={email} onText={setEmail} />
      <PasswordField password={password} setPassword={setPassword} />
      {asksCode ? <CodeField code={code} setCode={setCode} /> : null}
    </SignInForm>
  );
}

/** Recovery codes are shown once: `onHold` keeps this page until they are saved. */
export function Enrol({ onHold }: { onHold: (holds: boolean) => void }) {
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [code, setCode] = useState("");
  const submit = async () => {
    if (codes) {
      await client.fetchQuery({ ...meQuery, staleTime: 0 });
      return onHold(false);
    }
    if (secret === null) {
      const begun = await call("post", "/api/v1/auth/totp/begin", { body: { password } });
      setPassword("");
      return setSecret(begun.secret ?? null);
    }
    const made = await call("post", "/api/v1/auth/totp/confirm", { body: { code: code.trim() } });
    setCodes(made.recovery_codes.map(String));
    onHold(true);
  };
  return (
    <SignInForm title={t("enrol.title")} submit={submit} go={codes ? t("enrol.done") : secret ? t("enrol.confirm") : t("stepup.go")}>
      <p>{codes ? t("enrol.codes") : t("enrol.why")}</p>
      {codes ? (
        <ul className="mono">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      ) : null}
      {secret || codes ? null : <PasswordField password={password} setPassword={setPassword} />}
      {secret && !codes ? (
        <>
          <dl className="facts">
            <dt>{t("enrol.secret")}</dt>
            <dd className="mono">{secret}</dd>
          </dl>
          <CodeField code={code} setCode={setCode} />
        </>
      ) : null}
    </SignInForm>
  );
}

type GateProps = { title: string; submit: () => Promise<void>; go: string; isOver?: boolean; children: ReactNode };

/** The form of the sign-in pages: fields, an error, one button. */
function SignInForm({ title, submit, go, isOver = false, children }: GateProps) {
  const Place = isOver ? "div" : "main"; // the page below has its own
  const language = useLanguage();
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    try {
      await submit();
    } catch (error) {
      setTrouble(reasonOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Place className="login">
      <form className="panel" onSubmit={(event) => void send(event)}>
        <div className="row">
          <img src="/mark.svg" alt="" width="24" height="24" />
          <h1 className="grow">{title}</h1>
          <button type="button" className="button plain" onClick={() => setLanguage(language === "zh" ? "en" : "zh")}>
            {language === "zh" ? t("user.english") : t("user.chinese")}
          </button>
        </div>
        {children}
        <div role="alert">{trouble ? <p className="note bad">{trouble}</p> : null}</div>
        <button type="submit" className="button primary" disabled={busy}>
          {go}
        </button>
      </form>
    </Place>
  );
}

type FieldProps = { label: string; hint?: string; onText: (text: string) => void } & InputHTMLAttributes<HTMLInputElement>;

function Field({ label, hint, onText, ...rest }: FieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input className="input" required {...rest} onChange={(event) => onText(event.target.value)} />
      {hint ? <span className="hint">{hint}</span> : null}
    </label>
  );
}

type PasswordProps = { password: string; setPassword: (password: string) => void };

export function PasswordField({ password, setPassword }: PasswordProps) {
  const rest = { type: "password", autoComplete: "current-password" } as const;
  return <Field label={t("login.password")} value={password} onText={setPassword} {...rest} />;
}

export function CodeField({ code, setCode }: { code: string; setCode: (code: string) => void }) {
  const rest = { autoComplete: "one-time-code", inputMode: "numeric", autoFocus: true } as const;
  return <Field label={t("login.code")} hint={t("login.code.hint")} value={code} onText={setCode} {...rest} />;
}

/** Why sign-in failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return t("state.away");
  if (error.status === 429) return t("login.slow", { span: span(error.retryAfterSec ?? 60) });
  if (error.code === "INVALID_CREDENTIALS") return error.status === 403 ? t("login.password.wrong") : t("login.wrong");
  if (error.code.startsWith("TOTP_")) return t("login.code.wrong");
  return t("login.other", { reason: errorText(error.code, error.message) });
}
