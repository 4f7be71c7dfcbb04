// The second factor again, before dangerous acts: the act goes on by itself once the code was right.
import { useEffect, useRef, useState } from "react";
import { call, onStepUp } from "../api/client";
import { t } from "../i18n";
import { CodeField, wording } from "../pages/login";
import { Dialog } from "../ui/dialog";

export function StepUp() {
  const [asked, setAsked] = useState(false);
  const [code, setCode] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);
  const answer = useRef<(shown: boolean) => void>(() => undefined);

  useEffect(() => {
    onStepUp(
      () =>
        new Promise<boolean>((resolve) => {
          answer.current = resolve;
          setCode("");
          setTrouble(null);
          setAsked(true);
        }),
    );
  }, []);

  const end = (shown: boolean) => {
    setAsked(false);
    answer.current(shown);
  };
  const submit = async () => {
    try {
      await call("post", "/api/v1/auth/step-up", { body: { code: code.trim() } });
      end(true);
    } catch (error) {
      setTrouble(wording(error));
    }
  };
  if (!asked) return null;
  return (
    <Dialog title={t("stepup.title")} onClose={() => end(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p className="second">{t("stepup.why")}</p>
        <CodeField code={code} setCode={setCode} />
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
