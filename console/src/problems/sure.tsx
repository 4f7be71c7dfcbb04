// Before one press touches many problems at once: how many, and what it tells the others.
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Dialog } from "../ui/dialog";
import { Ends } from "./acts";

type Props = { verb: "acknowledge" | "start"; n: number; busy: boolean; onSure: () => void; onClose: () => void };

export function SureDialog({ verb, n, busy, onSure, onClose }: Props) {
  return (
    <Dialog title={t(`sure.${verb}`, { n: number(n) })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSure();
        }}
      >
        <p className="second">{t(`sure.${verb}.words`)}</p>
        <Ends onClose={onClose} go={t(`pact.${verb}`)} busy={busy} />
      </form>
    </Dialog>
  );
}
