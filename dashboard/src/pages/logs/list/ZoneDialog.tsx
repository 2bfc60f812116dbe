/** Chooses the logs' time zone from those the browser knows. */
import { useId, useState } from 'react';
import { formatDayTime, isZone, nameZone, type Zone } from '../../../format/times.ts';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../../ui/dialogs/DialogForm.tsx';
import { TextField } from '../../../ui/forms/TextField.tsx';

type ZoneDialogProps = { zone: Zone; onChoose: (zone: Zone) => void; onClose: () => void };

export function ZoneDialog({ zone, onChoose, onClose }: ZoneDialogProps) {
  const names = useId();
  const [typed, setTyped] = useState(zone === 'local' || zone === 'utc' ? '' : nameZone(zone));
  const [isTold, setTold] = useState(false);
  const wanted = typed.trim().replaceAll(' ', '_');
  const isKnown = wanted !== '' && isZone(wanted);
  const choose = () => {
    if (!isKnown) return setTold(true);
    onChoose(wanted);
    onClose();
  };
  return (
    <Dialog title="Time zone" about="For all times of the logs, in this browser." open onClose={onClose}>
      <DialogForm action="Use this time zone" onSubmit={choose} onCancel={onClose}>
        <TextField
          label="Name"
          placeholder="Europe/Oslo"
          list={names}
          autoComplete="off"
          value={typed}
          onChange={setTyped}
          hint={isKnown ? `Now ${formatDayTime(Date.now(), { zone: wanted })}` : undefined}
          error={isTold && !isKnown ? 'Unknown time zone. Write one such as Europe/Oslo.' : null}
        />
        <datalist id={names}>
          {Intl.supportedValuesOf('timeZone').map(name => (
            <option key={name} value={nameZone(name)} />
          ))}
        </datalist>
      </DialogForm>
    </Dialog>
  );
}
