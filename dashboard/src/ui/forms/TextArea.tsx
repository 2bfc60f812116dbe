/** A multi-line text field with its label. */
import type { ComponentProps } from 'react';
import { controlStyle, Field, type FieldText } from './Field.tsx';

type TextAreaProps = FieldText & {
  value: string;
  onChange: (value: string) => void;
} & Omit<ComponentProps<'textarea'>, 'value' | 'onChange' | 'className' | 'style'>;

export function TextArea({ label, hint, error, value, onChange, rows = 3, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error ?? null}>
      {control => (
        <textarea
          {...rest}
          {...control}
          rows={rows}
          value={value}
          onChange={event => onChange(event.target.value)}
          className={`${controlStyle} resize-y py-2 phone:min-h-11`}
        />
      )}
    </Field>
  );
}
