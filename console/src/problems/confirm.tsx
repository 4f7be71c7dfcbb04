// Confirms an action on many problems at once.
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Dialog } from "../ui/dialog";
import { FormButtons } from "../ui/form_buttons";
import { useBulkAction } from "./dialogs";
import type { Problem } from "../api/types";

type Props = {
  action: "acknowledge" | "start";
  problems: Problem[];
  onClose: () => void;
  onClosed?: ((ids: string[]) => void) | undefined;
};

export function ConfirmDialog({ action, problems, onClose, onClosed }: Props) {
  const actions = useBulkAction(onClosed);
  return (
    <Dialog title={t(`confirm.${action}`, { n: number(problems.length) })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          actions.mutate({ problems, action }, { onSettled: onClose });
        }}
      >
        <p className="second">{t(`confirm.${action}.words`)}</p>
        <FormButtons onClose={onClose} go={t(`action.${action}`)} isSending={actions.arePending(problems)} />
      </form>
    </Dialog>
  );
}
