/** A label, control, hint and error, linked for screen readers. */
import { type ReactNode, useId } from 'react';

/** Props that a control gets from its field. */
type FieldControl = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean };

export type FieldText = { label: ReactNode; hint?: ReactNode; error?: string | null };

type FieldProps = FieldText & { children: (control: FieldControl) => ReactNode };

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': Boolean(error) })}
      {error ? (
        <p id={`${id}-error`} role="alert" className="animate-arrive text-sm text-danger">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

/** The look of all inputs, apart from their height. */
export const controlStyle = `w-full min-w-0 rounded-lg border border-edge bg-well/60 px-3 transition-colors
  placeholder:text-muted hover:border-muted focus:border-muted aria-invalid:border-danger
  disabled:opacity-60 disabled:hover:border-edge`;
