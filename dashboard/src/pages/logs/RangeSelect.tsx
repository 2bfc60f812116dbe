/** The time that is searched: up to now, or between two instants. */
import { useState } from 'react';
import { formatDayTime, formatSpan, type Zone } from '../../format/times.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../ui/dialogs/Dialog.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { type Option, Select } from '../../ui/forms/Select.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { askLogs, type LogSearch, ranges, usualRange } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';

const chosenSpan = 'span';
const anotherSpan = 'other';

export function RangeSelect({ search, onChange }: { search: LogSearch; onChange: ChangeSearch }) {
  const [choosing, setChoosing] = useState(false);
  const hasSpan = search.from !== undefined || search.to !== undefined;
  const options: Option<string>[] = [
    // The filters below say which.
    ...(hasSpan ? [{ value: chosenSpan, label: 'Chosen time' }] : []),
    ...ranges.map(({ value, label }) => ({ value, label })),
    { value: anotherSpan, label: 'Between two times…' },
  ];
  const choose = (value: string) => {
    if (value === anotherSpan) setChoosing(true);
    else if (value !== chosenSpan)
      onChange({ range: value === usualRange ? undefined : value, from: undefined, to: undefined });
  };
  const value = hasSpan
    ? chosenSpan
    : (ranges.find(range => range.value === search.range)?.value ?? usualRange);
  return (
    <>
      <Select aria-label="Time" value={value} options={options} onChange={choose} />
      {choosing && <SpanDialog search={search} onChange={onChange} onClose={() => setChoosing(false)} />}
    </>
  );
}

export function describeSpan({ from, to }: LogSearch, zone: Zone): string {
  if (from && to) return formatSpan(from, to, { zone });
  return from ? `since ${formatDayTime(from, { zone })}` : `until ${formatDayTime(to ?? '', { zone })}`;
}

type SpanDialogProps = { search: LogSearch; onChange: ChangeSearch; onClose: () => void };

function SpanDialog({ search, onChange, onClose }: SpanDialogProps) {
  const [shown] = useState(() => listBounds(search));
  const [from, setFrom] = useState(writeLocal(shown.from));
  const [to, setTo] = useState(writeLocal(shown.to));
  const [isReversed, setReversed] = useState(false);
  const choose = () => {
    if (from !== '' && to !== '' && from > to) return setReversed(true);
    onChange({ from: readLocal(from), to: readLocal(to), range: undefined });
    onClose();
  };
  return (
    <Dialog title="Between two times" about="In your browser’s time zone." open onClose={onClose}>
      <DialogBody>
        <Form id="span" onSubmit={choose}>
          <TextField label="From" type="datetime-local" step={1} value={from} onChange={setFrom} />
          <TextField
            label="To"
            type="datetime-local"
            step={1}
            value={to}
            onChange={setTo}
            error={isReversed && from > to ? 'This is before From. Choose a later time.' : null}
          />
        </Form>
      </DialogBody>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form="span" look="primary" disabled={from === '' && to === ''}>
          Search
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

/** The times that are on the screen; a relative range ends now. */
function listBounds(search: LogSearch): Pick<LogSearch, 'from' | 'to'> {
  const now = Date.now();
  const { from, to } = askLogs(search, now);
  const isOpenEnded = search.from !== undefined;
  return { from, to: to ?? (isOpenEnded ? undefined : new Date(now).toISOString()) };
}

/** As such a field holds it: without a zone, in the browser's time. */
function writeLocal(at: string | undefined): string {
  if (at === undefined || Number.isNaN(Date.parse(at))) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function readLocal(text: string): string | undefined {
  return text === '' ? undefined : new Date(text).toISOString();
}
