// Step-up before dangerous actions: authenticator code, or password without one. The action then continues.
import { useEffect, useRef, useState } from "react";
import { call, onStepUp, type Proof } from "../api/client";
import { t } from "../i18n";
import { CodeField, PasswordField, reasonOf } from "../pages/login";
import { Dialog } from "../ui/dialog";

export function StepUp() {
  const [proof, setProof] = useState<Proof | null>(null);
  const [entered, setEntered] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);
  const answer = useRef<(isGiven: boolean) => void>(() => undefined);

  useEffect(() => {
    onStepUp(
      (proof) =>
        new Promise<boolean>((resolve) => {
          answer.current = resolve;
          setEntered("");
          setTrouble(null);
          setProof(proof);
        }),
    );
  }, []);

  const end = (isGiven: boolean) => {
    setProof(null);
    setEntered("");
    answer.current(isGiven);
  };
  const submit = async () => {
    try {
      await call("post", "/api/v1/auth/step-up", { body: proof === "totp" ? { code: entered.trim() } : { password: entered } });
      end(true);
    } catch (error) {
      setTrouble(reasonOf(error));
    }
  };
  if (!proof) return null;
  return (
    <Dialog title={t(proof === "totp" ? "stepup.title" : "stepup.password")} onClose={() => end(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p className="second">{t("stepup.why")}</p>
        {proof === "totp" ? (
          <CodeField code={entered} setCode={setEntered} />
        ) : (
          <PasswordField password={entered} setPassword={setEntered} />
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
