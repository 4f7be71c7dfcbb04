import { t, type Key } from "../i18n";
import { Dialog } from "../ui/dialog";

const KEYS: [string[], Key][] = [
  [["Ctrl", "K"], "keys.palette"],
  [["/"], "keys.search"],
  [["g", "f", "m", "p"], "keys.go"],
  [["j", "k"], "keys.move"],
  [["Enter"], "keys.open"],
  [["x"], "keys.select"],
  [["←", "→", "Enter", "o", "+", "-", "0"], "keys.map"],
  [["a"], "keys.ack"],
  [["c"], "keys.command"],
  [["?"], "keys.help"],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("keys.title")} onClose={onClose}>
      <div className="inside">
        <dl className="facts">
          {KEYS.map(([keys, what]) => (
            <div key={what} className="contents">
              <dt className="row">
                {keys.map((key) => (
                  <kbd key={key} className="kbd">
                    {key}
                  </kbd>
                ))}
              </dt>
              <dd>{t(what)}</dd>
            </div>
          ))}
        </dl>
        <div className="ends">
          <button type="button" className="button" onClick={onClose} autoFocus>
            {t("act.close")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
