// The end of a form in a dialog: leave it, or send it. What was sent is not called back by leaving.
import { t } from "../i18n";

type Props = { onClose: () => void; go: string; isSending: boolean; isReady?: boolean };

export function Ends({ onClose, go, isSending, isReady = true }: Props) {
  return (
    <div className="ends">
      <span className="quiet" role="status">
        {isSending ? t("act.under_way") : null}
      </span>
      <span className="row wrap">
        <button type="button" className="button" onClick={onClose}>
          {t(isSending ? "act.close" : "act.cancel")}
        </button>
        <button type="submit" className="button primary" disabled={isSending || !isReady}>
          {go}
        </button>
      </span>
    </div>
  );
}
