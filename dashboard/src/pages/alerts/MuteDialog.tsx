/** Asks for a custom time until which to mute a rule. */
import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import type { Rule } from '../../queries/rules.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { inAnHour } from './mute.ts';

type MuteDialogProps = { rule: Rule; onChoose: (until: Date) => void; onClose: () => void };

export function MuteDialog({ rule, onChoose, onClose }: MuteDialogProps) {
  const [until, setUntil] = useState(() => writeLocal(inAnHour(Date.now())));
  const isPast = until !== '' && new Date(until).getTime() <= Date.now();
  const choose = () => {
    if (isPast) return;
    onChoose(new Date(until));
    onClose();
  };
  return (
    <Dialog
      title={`Mute ${isolate(rule.name)}`}
      about="No notifications until then. The history is still recorded; if the rule is still firing at the end, you are notified."
      open
      onClose={onClose}
    >
      <DialogForm action="Mute" onSubmit={choose} onCancel={onClose}>
        <TextField
          label="Until"
          type="datetime-local"
          required
          value={until}
          onChange={setUntil}
          error={isPast ? 'This time has passed. Choose a later one.' : null}
        />
      </DialogForm>
    </Dialog>
  );
}

/** Formats a date for a datetime-local field: no zone, in the browser's time. */
function writeLocal(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
