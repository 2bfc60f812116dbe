/** Asks for two times, starting with the current range. Users type, paste or pick them. */
import { useState } from 'react';
import { writeMoment } from '../../format/timeParsing.ts';
import { describeZone, type Zone } from '../../format/times.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { describeUnreadable, MomentField, readBound } from '../../ui/forms/MomentField.tsx';
import { composeLogQuestion, type LogSearch } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';
import { useZone } from './view.ts';

type TimeRangeDialogProps = { search: LogSearch; onChange: ChangeSearch; onClose: () => void };

export function TimeRangeDialog({ search, onChange, onClose }: TimeRangeDialogProps) {
  const zone = useZone();
  const [shown] = useState(() => listBounds(search, zone));
  const [from, setFrom] = useState(shown.from);
  const [to, setTo] = useState(shown.to);
  const [isTold, setTold] = useState(false);
  const [start, end] = [readBound(from, zone), readBound(to, zone)];
  const isReversed = start.at !== null && end.at !== null && start.at > end.at;
  const describeEnd = () => {
    if (end.isWrong) return describeUnreadable(zone);
    return isReversed ? 'This is before From. Choose a later time.' : null;
  };
  const choose = () => {
    if (start.isWrong || end.isWrong || isReversed) return setTold(true);
    onChange({ from: writeBound(start.at), to: writeBound(end.at), range: undefined });
    onClose();
  };
  return (
    <Dialog title="Between two times" about={`${describeZone(zone)}.`} open onClose={onClose}>
      <DialogForm
        action="Search"
        disabled={from.trim() === '' && to.trim() === ''}
        onSubmit={choose}
        onCancel={onClose}
      >
        <MomentField
          label="From"
          zone={zone}
          value={from}
          onChange={setFrom}
          error={isTold && start.isWrong ? describeUnreadable(zone) : null}
        />
        <MomentField
          label="To"
          zone={zone}
          value={to}
          onChange={setTo}
          error={isTold ? describeEnd() : null}
        />
      </DialogForm>
    </Dialog>
  );
}

function writeBound(at: number | null): string | undefined {
  return at === null ? undefined : new Date(at).toISOString();
}

/** Returns the current range; a relative range ends now. */
function listBounds(search: LogSearch, zone: Zone): { from: string; to: string } {
  const now = Date.now();
  const { from, to } = composeLogQuestion(search, now);
  const end = to ?? (search.from === undefined ? new Date(now).toISOString() : undefined);
  return { from: writeShown(from, zone), to: writeShown(end, zone) };
}

function writeShown(at: string | undefined, zone: Zone): string {
  return at === undefined || Number.isNaN(Date.parse(at)) ? '' : writeMoment(at, zone);
}
