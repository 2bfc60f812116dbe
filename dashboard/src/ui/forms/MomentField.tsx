/** A field for a point in time, which users type, paste or pick. */
import { useRef } from 'react';
import { readMoment, writeMoment } from '../../format/timeParsing.ts';
import type { Zone } from '../../format/times.ts';
import { readWall } from '../../format/wallClock.ts';
import { Button } from '../Button.tsx';
import { TextField } from './TextField.tsx';

const ways = 'Also now-90m, 14:05 or a pasted time';

type MomentFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | null;
  /** Lists the other ways to write it. */
  hint?: string | null;
  /** The zone for reading and writing. */
  zone?: Zone;
};

export function MomentField(props: MomentFieldProps) {
  const { label, value, onChange, error, hint = ways, zone = 'local' } = props;
  const picker = useRef<HTMLInputElement>(null);
  const { at } = readBound(value, zone);
  const example = writeMoment(Date.now(), zone);
  const written = at === null ? '' : writeMoment(at, zone);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        error={error}
        autoComplete="off"
        spellCheck={false}
        placeholder={example}
        hint={written === '' || written === value.trim() ? hint : `That is ${written}`}
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
        value={at === null ? '' : writeForPicker(at, zone)}
        onChange={({ target }) => {
          const picked = readBound(target.value, zone).at;
          if (picked !== null) onChange(writeMoment(picked, zone));
        }}
        className="pointer-events-none col-span-2 -mt-6 h-px w-full opacity-0"
      />
    </div>
  );
}

/** Shows how to write a time, because the field's own example disappears once the user types. */
export function describeUnreadable(zone: Zone = 'local'): string {
  return `Not a time. Try ${writeMoment(Date.now(), zone)} or now-90m.`;
}

type Bound = { at: number | null; isWrong: boolean };

/** Empty text means no bound. */
export function readBound(text: string, zone: Zone = 'local'): Bound {
  const at = text.trim() === '' ? null : readMoment(text, { now: Date.now(), zone });
  return { at, isWrong: at === null && text.trim() !== '' };
}

/** The browser's picker knows no zones, so it shows the zone's wall clock. */
function writeForPicker(at: number, zone: Zone): string {
  const { year, month, day, hour, minute, second } = readWall(at, zone);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}
