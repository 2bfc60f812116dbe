/** A single-line text field with its label. Shows the browser's validation errors in our words, below the field. */
import { type ComponentProps, type InvalidEvent, useState } from 'react';
import { controlStyle, Field, type FieldText } from './Field.tsx';

export type TextFieldProps = FieldText & {
  value: string;
  onChange: (value: string) => void;
  /** For codes, slugs and hosts. */
  mono?: boolean;
  /** The value's unit, shown at the end. */
  unit?: string;
} & Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'className' | 'style'>;

export function TextField({
  label,
  hint,
  error,
  value,
  onChange,
  mono = false,
  unit,
  ...rest
}: TextFieldProps) {
  const [finding, setFinding] = useState<string | null>(null);
  const showInvalid = (event: InvalidEvent<HTMLInputElement>) => {
    event.preventDefault();
    const input = event.currentTarget;
    setFinding(describeInvalid(input));
    if (input.form?.querySelector(':invalid') === input) input.focus();
  };
  const change = (typed: string) => {
    setFinding(null);
    onChange(typed);
  };
  return (
    <Field label={label} hint={hint} error={finding ?? error ?? null}>
      {control => (
        <span className="relative grid">
          <input
            type="text"
            {...rest}
            {...control}
            value={value}
            onChange={event => change(event.target.value)}
            onInvalid={showInvalid}
            className={`${controlStyle} h-10 ${mono ? 'font-mono text-[0.92em]' : ''} ${unit ? 'pr-14' : ''}`}
          />
          {unit && (
            <span className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-sm text-muted">
              {unit}
            </span>
          )}
        </span>
      )}
    </Field>
  );
}

function describeInvalid({ validity, minLength, title, validationMessage }: HTMLInputElement): string {
  if (validity.valueMissing) return 'This field is required.';
  if (validity.tooShort) return `Use at least ${minLength} characters.`;
  if (validity.typeMismatch) return 'Use the form name@example.com.';
  if (validity.patternMismatch && title !== '') return title;
  return validationMessage;
}
