/** A column of fields with submit. The browser checks first; errors appear at the fields. */
import type { ReactNode, SubmitEvent } from 'react';

type FormProps = { onSubmit: () => void; id?: string; children: ReactNode };

export function Form({ onSubmit, id, children }: FormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form id={id} onSubmit={submit} className="grid gap-5">
      {children}
    </form>
  );
}
