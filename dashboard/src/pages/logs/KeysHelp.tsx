/** Lists the keyboard shortcuts of this page. */
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody } from '../../ui/dialogs/Dialog.tsx';
import { usePageKeys } from '../../ui/hooks/usePageKeys.ts';

const meanings = [
  { keys: ['/'], meaning: 'focus the search box' },
  { keys: ['↓', '↑'], meaning: 'in the search box: choose a suggestion or a recent search' },
  { keys: ['Tab'], meaning: 'in the search box: insert the chosen suggestion, or the first that fits' },
  { keys: ['e'], meaning: 'focus the list of entries' },
  { keys: ['l'], meaning: 'turn Live on or off' },
  { keys: ['f'], meaning: 'show or hide fields' },
  { keys: ['j', 'k', '↓', '↑'], meaning: 'in the list: previous or next entry' },
  { keys: ['Home', 'End'], meaning: 'in the list: first or last match' },
  { keys: ['Enter'], meaning: 'in the list: open the entry' },
  { keys: ['→', '←'], meaning: 'in the list: show all lines of the entry in place, or hide them' },
  { keys: ['m'], meaning: 'in the list: actions for the values of the entry' },
  { keys: ['←', '→'], meaning: 'in the chart: move through time; with Shift, select a range' },
  { keys: ['Enter'], meaning: 'in the chart: search the selected range' },
  { keys: ['Esc'], meaning: 'close the entry' },
  { keys: ['?'], meaning: 'this help' },
];

export function KeysHelp() {
  const [isOpen, setOpen] = useState(false);
  usePageKeys({ '?': () => setOpen(true) });
  return (
    <>
      <Button look="quiet" className="w-9 px-0!" aria-label="Keys" title="Keys" onClick={() => setOpen(true)}>
        ?
      </Button>
      <Dialog title="Keys" open={isOpen} onClose={() => setOpen(false)}>
        <DialogBody>
          <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-2 text-sm">
            {meanings.map(({ keys, meaning }) => (
              <div key={meaning} className="col-span-full grid grid-cols-subgrid items-baseline">
                <dt className="flex gap-1">
                  {keys.map(key => (
                    <kbd key={key} className="rounded border border-edge px-1.5 font-mono text-[0.8rem]">
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </DialogBody>
      </Dialog>
    </>
  );
}
