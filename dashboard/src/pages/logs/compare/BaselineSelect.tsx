/** Chooses what to compare a time span with: the time before it, or any other. */
import { useState } from 'react';
import { writeMoment } from '../../../format/timeParsing.ts';
import { describeZone, formatDayTime } from '../../../format/times.ts';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../../ui/dialogs/DialogForm.tsx';
import { describeUnreadable, MomentField, readBound } from '../../../ui/forms/MomentField.tsx';
import { type Option, Select } from '../../../ui/forms/Select.tsx';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { useZone } from '../view.ts';
import { baselines, pairSpans, readBaseline } from './comparedSpans.ts';

const chosenTime = 'chosen';
const anotherTime = 'other';

type BaselineProps = { search: LogSearch; onChange: ChangeSearch };

export function BaselineSelect({ search, onChange }: BaselineProps) {
  const zone = useZone();
  const [isChoosing, setChoosing] = useState(false);
  const baseline = readBaseline(search);
  const options: Option<string>[] = [
    ...(typeof baseline === 'object'
      ? [{ value: chosenTime, label: `From ${formatDayTime(baseline.start, { zone })}` }]
      : []),
    ...baselines,
    { value: anotherTime, label: 'Another time…' },
  ];
  const choose = (chosen: string) => {
    if (chosen === anotherTime) setChoosing(true);
    else if (chosen !== chosenTime) onChange({ against: chosen === 'previous' ? undefined : chosen });
  };
  return (
    <>
      <Select
        small
        aria-label="Compare with"
        value={typeof baseline === 'object' ? chosenTime : baseline}
        options={options}
        onChange={choose}
      />
      {isChoosing && <StartDialog search={search} onChange={onChange} onClose={() => setChoosing(false)} />}
    </>
  );
}

function StartDialog({ search, onChange, onClose }: BaselineProps & { onClose: () => void }) {
  const zone = useZone();
  const [typed, setTyped] = useState(() => {
    const start = pairSpans(search, Date.now())?.before.from;
    return start === undefined ? '' : writeMoment(start, zone);
  });
  const [isTold, setTold] = useState(false);
  const { at } = readBound(typed, zone);
  const compare = () => {
    if (at === null) return setTold(true);
    onChange({ against: new Date(at).toISOString() });
    onClose();
  };
  return (
    <Dialog
      title="Compare with another time"
      about={`The other time span is as long as the one in the chart. ${describeZone(zone)}.`}
      open
      onClose={onClose}
    >
      <DialogForm action="Compare" onSubmit={compare} onCancel={onClose}>
        <MomentField
          label="Starts at"
          zone={zone}
          value={typed}
          onChange={setTyped}
          error={isTold && at === null ? describeUnreadable(zone) : null}
        />
      </DialogForm>
    </Dialog>
  );
}
