// The second factor again, or the password where there is none, before dangerous acts: the act then goes on by itself.
import { useEffect, useRef, useState } from "react";
import { call, onStepUp, type Proof } from "../api/client";
import { t } from "../i18n";
import { CodeField, PasswordField, wording } from "../pages/login";
import { Dialog } from "../ui/dialog";

export function StepUp() {
  const [asked, setAsked] = useState<Proof | null>(null);
  const [shown, setShown] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);
  const answer = useRef<(isShown: boolean) => void>(() => undefined);

  useEffect(() => {
    onStepUp(
      (proof) =>
        new Promise<boolean>((resolve) => {
          answer.current = resolve;
          setShown("");
          setTrouble(null);
          setAsked(proof);
        }),
    );
  }, []);

  const end = (isShown: boolean) => {
    setAsked(null);
    setShown("");
    answer.current(isShown);
  };
  const submit = async () => {
    try {
      await call("post", "/api/v1/auth/step-up", { body: asked === "totp" ? { code: shown.trim() } : { password: shown } });
      end(true);
    } catch (error) {
      setTrouble(wording(error));
    }
  };
  if (!asked) return null;
  return (
    <Dialog title={t(asked === "totp" ? "stepup.title" : "stepup.password")} onClose={() => end(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p className="second">{t("stepup.why")}</p>
        {asked === "totp" ? (
          <CodeField code={shown} setCode={setShown} />
        ) : (
          <PasswordField password={shown} setPassword={setShown} />
        )}
        <div role="alert">{trouble ? <p className="note bad">{trouble}</p> : null}</div>
        <div className="ends">
          <button type="button" className="button" onClick={() => end(false)}>
            {t("act.cancel")}
          </button>
          <button type="submit" className="button primary">
            {t("stepup.go")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
