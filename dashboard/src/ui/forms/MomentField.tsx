/** Asks for a point in time, which is typed, pasted or picked. */
import { useRef } from 'react';
import { readMoment, writeMoment } from '../../format/timeParsing.ts';
import { Button } from '../Button.tsx';
import { TextField } from './TextField.tsx';

const ways = 'Also now-90m, 14:05 or a pasted time';
export const unreadableMoment = 'Not a time. Write it as in the example, or now-90m.';

type MomentFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | null;
  /** Names the other ways to write it. */
  hint?: string | null;
};

export function MomentField({ label, value, onChange, error, hint = ways }: MomentFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  const { at } = readBound(value);
  const example = writeMoment(new Date().toISOString());
  const written = at === null ? '' : writeMoment(new Date(at).toISOString());
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
      <TextField
        {...{ label, value, onChange, error }}
        autoComplete="off"
        spellCheck={false}
        placeholder={example}
        hint={written === '' || written === value.trim() ? hint : `Means ${written}`}
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
export function readBound(text: string): Bound {
  const at = text.trim() === '' ? null : readMoment(text, Date.now());
  return { at, isWrong: at === null && text.trim() !== '' };
}

/** Formats a moment for the browser's own picker: without a zone. */
function writeLocal(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
