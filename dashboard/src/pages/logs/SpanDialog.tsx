/** Asks for two times, filled with those that are shown. They are typed, pasted or picked. */
import { useRef, useState } from 'react';
import { readMoment, writeMoment } from '../../format/moments.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../ui/dialogs/Dialog.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { askLogs, type LogSearch } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';

const unreadable = 'Not a time. Write it as in the example, or now-90m.';

type SpanDialogProps = { search: LogSearch; onChange: ChangeSearch; onClose: () => void };

export function SpanDialog({ search, onChange, onClose }: SpanDialogProps) {
  const [shown] = useState(() => listBounds(search));
  const [from, setFrom] = useState(shown.from);
  const [to, setTo] = useState(shown.to);
  const [isTold, setTold] = useState(false);
  const [start, end] = [readBound(from), readBound(to)];
  const isReversed = start.at !== null && end.at !== null && start.at > end.at;
  const choose = () => {
    if (start.isWrong || end.isWrong || isReversed) return setTold(true);
    onChange({ from: writeBound(start.at), to: writeBound(end.at), range: undefined });
    onClose();
  };
  return (
    <Dialog title="Between two times" about="In your browser’s time zone." open onClose={onClose}>
      <DialogBody>
        <Form id="span" onSubmit={choose}>
          <MomentField
            label="From"
            value={from}
            onChange={setFrom}
            error={isTold && start.isWrong ? unreadable : null}
          />
          <MomentField
            label="To"
            value={to}
            onChange={setTo}
            error={isTold ? describeEnd(end.isWrong, isReversed) : null}
          />
        </Form>
      </DialogBody>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form="span" look="primary" disabled={from.trim() === '' && to.trim() === ''}>
          Search
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function describeEnd(isWrong: boolean, isReversed: boolean): string | null {
  if (isWrong) return unreadable;
  return isReversed ? 'This is before From. Choose a later time.' : null;
}

type MomentFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | null;
};

function MomentField({ label, value, onChange, error }: MomentFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  const { at } = readBound(value);
  const example = writeMoment(new Date().toISOString());
  const written = writeShown(writeBound(at));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
      <TextField
        {...{ label, value, onChange, error }}
        autoComplete="off"
        spellCheck={false}
        placeholder={example}
        hint={
          written === '' || written === value.trim()
            ? 'Also now-90m, 14:05 or a pasted time'
            : `Means ${written}`
        }
      />
      <Button className="mt-7" aria-label={`Pick ${label}`} onClick={() => picker.current?.showPicker()}>
        Pick
      </Button>
      <input
        ref={picker}
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden="true"
        value={at === null ? '' : writeLocal(at)}
        onChange={({ target }) =>
          target.value !== '' && onChange(writeMoment(new Date(target.value).toISOString()))
        }
        className="pointer-events-none col-span-2 -mt-6 h-px w-full opacity-0"
      />
    </div>
  );
}

type Bound = { at: number | null; isWrong: boolean };

/** Nothing written is no bound. */
function readBound(text: string): Bound {
  const at = text.trim() === '' ? null : readMoment(text, Date.now());
  return { at, isWrong: at === null && text.trim() !== '' };
}

function writeBound(at: number | null): string | undefined {
  return at === null ? undefined : new Date(at).toISOString();
}

/** The times that are on the screen; a relative range ends now. */
function listBounds(search: LogSearch): { from: string; to: string } {
  const now = Date.now();
  const { from, to } = askLogs(search, now);
  const end = to ?? (search.from === undefined ? new Date(now).toISOString() : undefined);
  return { from: writeShown(from), to: writeShown(end) };
}

function writeShown(at: string | undefined): string {
  return at === undefined || Number.isNaN(Date.parse(at)) ? '' : writeMoment(at);
}

/** As the browser's own picker holds it: without a zone. */
function writeLocal(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
