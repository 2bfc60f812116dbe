/** Chooses when a token expires: never, after a usual time, or on a chosen day. */
import { useState } from 'react';
import { formatDay } from '../../format/times.ts';
import { Field } from '../../ui/forms/Field.tsx';
import { type Option, Select } from '../../ui/forms/Select.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';

const spansDays = { week: 7, month: 30, quarter: 90, year: 365 } as const;
type RadioOption = 'never' | 'day' | keyof typeof spansDays;

const options: readonly Option<RadioOption>[] = [
  { value: 'never', label: 'Never' },
  { value: 'week', label: 'In 7 days' },
  { value: 'month', label: 'In 30 days' },
  { value: 'quarter', label: 'In 90 days' },
  { value: 'year', label: 'In a year' },
  { value: 'day', label: 'On a date…' },
];

type ExpiryFieldProps = { error: string | null; onChange: (expiresAt: string | null) => void };

export function ExpiryField({ error, onChange }: ExpiryFieldProps) {
  const [choice, setChoice] = useState<RadioOption>('never');
  const [day, setDay] = useState('');
  const choose = (chosen: RadioOption) => {
    setChoice(chosen);
    onChange(chosen === 'never' || chosen === 'day' ? null : daysFromNow(spansDays[chosen]));
  };
  const chooseDay = (typed: string) => {
    setDay(typed);
    // The token stays valid to the end of the day in the user's time zone.
    onChange(typed === '' ? null : new Date(`${typed}T23:59:59`).toISOString());
  };
  const hint = choice in spansDays ? describeSpan(choice) : undefined;
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field label="Expires" hint={hint} error={error}>
        {control => <Select {...control} value={choice} options={options} onChange={choose} />}
      </Field>
      {choice === 'day' && (
        <TextField label="Day" type="date" required min={today()} value={day} onChange={chooseDay} />
      )}
    </div>
  );
}

function daysFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

function describeSpan(choice: RadioOption): string | undefined {
  if (choice === 'never' || choice === 'day') return undefined;
  return `On ${formatDay(daysFromNow(spansDays[choice]))}.`;
}

/** Returns today in the user's time zone, as date fields expect it. */
function today(): string {
  const now = new Date();
  const two = (part: number) => String(part).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
