/** Explains the query language by examples. A click tries one. */
import { useState } from 'react';
import { Dialog, DialogBody } from '../ui/dialogs/Dialog.tsx';
import { Icon } from '../ui/Icon.tsx';

/** A query, and what it finds. */
export type LanguageExample = readonly [string, string];

type LanguageHelpProps = {
  about: string;
  examples: readonly LanguageExample[];
  note: string;
  onTry: (text: string) => void;
};

export function LanguageHelp({ about, examples, note, onTry }: LanguageHelpProps) {
  const [isOpen, setOpen] = useState(false);
  const tryOut = (text: string) => {
    setOpen(false);
    onTry(text);
  };
  return (
    <>
      <button
        type="button"
        aria-label="How to search"
        title="How to search"
        onClick={() => setOpen(true)}
        className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
      >
        <Icon name="book" />
      </button>
      <Dialog title="How to search" about={about} open={isOpen} onClose={() => setOpen(false)}>
        <DialogBody>
          <dl className="grid gap-x-5 gap-y-1 text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
            {examples.map(([text, meaning]) => (
              <div key={text} className="col-span-full grid grid-cols-subgrid items-baseline">
                <dt>
                  <button
                    type="button"
                    onClick={() => tryOut(text)}
                    className="min-h-7 rounded-md px-1.5 text-left font-mono text-[0.82rem] underline decoration-edge underline-offset-3
                      hover:bg-ink/6 hover:decoration-ink"
                  >
                    {text}
                  </button>
                </dt>
                <dd className="pl-1.5 text-muted sm:pl-0">{meaning}</dd>
              </div>
            ))}
          </dl>
          <p className="text-sm text-muted">{note}</p>
        </DialogBody>
      </Dialog>
    </>
  );
}
