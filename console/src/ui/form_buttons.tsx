// Buttons of a form in a dialog: cancel and send. Closing does not cancel a sent request.
import { t } from "../i18n";

type Props = { onClose: () => void; go: string; isSending: boolean; isReady?: boolean };

export function FormButtons({ onClose, go, isSending, isReady = true }: Props) {
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
