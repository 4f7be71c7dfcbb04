// Before one press touches many problems at once: how many, and what it tells the others.
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Dialog } from "../ui/dialog";
import { Ends } from "../ui/ends";
import { useActs } from "./acts";
import type { Problem } from "./types";

type Props = {
  verb: "acknowledge" | "start";
  problems: Problem[];
  onClose: () => void;
  onOver?: ((ids: string[]) => void) | undefined;
};

export function SureDialog({ verb, problems, onClose, onOver }: Props) {
  const acts = useActs(onOver);
  return (
    <Dialog title={t(`sure.${verb}`, { n: number(problems.length) })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          acts.mutate({ problems, verb }, { onSettled: onClose });
        }}
      >
        <p className="second">{t(`sure.${verb}.words`)}</p>
        <Ends onClose={onClose} go={t(`pact.${verb}`)} isSending={acts.areBusy(problems)} />
      </form>
    </Dialog>
  );
}
