/** The language of the box by examples, each of which can be tried by a press. */
import { useState } from 'react';
import { Dialog, DialogBody } from '../../../ui/dialogs/Dialog.tsx';
import { Icon } from '../../../ui/Icon.tsx';

const examples: readonly (readonly [string, string])[] = [
  ['connection lost', 'both words, anywhere in an entry; also parts of words'],
  ['"connection lost"', 'exactly this phrase'],
  ['conn*lost', 'one after the other'],
  ['level:error', 'a field with this value; level:(warn,error) is one of two'],
  ['player.id:43', 'any path of the metadata'],
  ['player.name:An*', 'a value starting with this, in any letter case'],
  ['resource:oxmysql -timeout', 'excludes what follows the minus'],
  ['ms:>100', 'larger numbers; also >=, < and <='],
  ['player.id:* -resource:chat', 'the field exists, with any value'],
  ['(lost OR timeout) level:warn', 'one side or the other'],
];

export function LanguageHelp({ onTry }: { onTry: (text: string) => void }) {
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
      <Dialog
        title="How to search"
        about="Searches messages, resources and values. Click an example to try it."
        open={isOpen}
        onClose={() => setOpen(false)}
      >
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
          <p className="text-sm text-muted">
            Put values with spaces or symbols in quotes. Paste a traceId to open its entry.
          </p>
        </DialogBody>
      </Dialog>
    </>
  );
}
