/** Chooses and orders the columns, from the entries' fields or by name. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { formatShort } from '../../../format/numbers.ts';
import { fieldsQuery } from '../../../queries/logFields.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../../ui/dialogs/Dialog.tsx';
import { Form } from '../../../ui/forms/Form.tsx';
import { TextField } from '../../../ui/forms/TextField.tsx';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import { moveColumn, readColumns, toggleColumn } from '../columns.ts';
import { composeLogQuestion, keyOf, type LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';

const ownFields = ['resource', 'dataset', 'pattern', 'traceId', 'parentId'];
const offeredMax = 60; // with more, typing is quicker

type ColumnsDialogProps = { project: string; search: LogSearch; onChange: ChangeSearch; onClose: () => void };

export function ColumnsDialog({ project, search, onChange, onClose }: ColumnsDialogProps) {
  const [typed, setTyped] = useState('');
  const { columns } = search;
  const chosen = readColumns(columns);
  const toggle = (name: string) => onChange({ columns: toggleColumn(columns, name) });
  const offered = useOfferedFields(project, search).filter(({ name }) => !chosen.includes(name));
  const wanted = typed.trim();
  const fitting = offered.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const add = () => {
    const name = fitting.find(each => each.name === wanted)?.name ?? fitting[0]?.name ?? wanted;
    if (name === '' || chosen.includes(name)) return;
    toggle(name);
    setTyped('');
  };
  return (
    <Dialog title="Columns" about="Time, level and message are always shown." open onClose={onClose}>
      <DialogBody>
        {chosen.length > 0 && <ChosenColumns columns={columns} onChange={onChange} />}
        <Form id="columns" onSubmit={add}>
          <TextField
            label="Add a field"
            placeholder="player.id"
            autoComplete="off"
            value={typed}
            onChange={setTyped}
          />
        </Form>
        <Offers fields={fitting} onChoose={toggle} />
      </DialogBody>
      <DialogButtons>
        {chosen.length > 0 && (
          <Button look="quiet" onClick={() => onChange({ columns: undefined })}>
            Remove all
          </Button>
        )}
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function ChosenColumns({ columns, onChange }: Pick<LogSearch, 'columns'> & { onChange: ChangeSearch }) {
  const chosen = readColumns(columns);
  const move = (name: string, to: number) => onChange({ columns: moveColumn(columns, name, to) });
  return (
    <ol className="divide-y divide-line rounded-lg border border-line" aria-label="Chosen columns">
      {chosen.map((name, index) => (
        <li key={name} className="flex items-center gap-1 py-0.5 pr-1 pl-3">
          <bdi className="mr-auto min-w-0 truncate font-mono text-[0.8rem]">{name}</bdi>
          <Act
            icon="up"
            label={`Move ${name} up`}
            isOff={index === 0}
            onClick={() => move(name, index - 1)}
          />
          <Act
            icon="down"
            label={`Move ${name} down`}
            isOff={index === chosen.length - 1}
            onClick={() => move(name, index + 1)}
          />
          <Act
            icon="cross"
            label={`Remove ${name}`}
            onClick={() => onChange({ columns: toggleColumn(columns, name) })}
          />
        </li>
      ))}
    </ol>
  );
}

type Offer = { name: string; entries: number | null };

function Offers({ fields, onChoose }: { fields: readonly Offer[]; onChoose: (name: string) => void }) {
  return (
    <ul className="grid max-h-72 gap-px overflow-y-auto" aria-label="Fields">
      {fields.slice(0, offeredMax).map(({ name, entries }) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => onChoose(name)}
            className="flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-ink/6"
          >
            <Icon name="plus" className="text-muted" />
            <bdi className="min-w-0 truncate font-mono text-[0.8rem]">{name}</bdi>
            {entries !== null && (
              <span className="ml-auto text-[0.78rem] text-muted tabular-nums">{formatShort(entries)}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Returns the searched entries' fields, most frequent first, and those that every entry has. */
function useOfferedFields(project: string, search: LogSearch): Offer[] {
  const { query: _, ...anything } = search;
  const asking = { key: keyOf(anything), question: () => composeLogQuestion(anything, Date.now()) };
  const { data = [] } = useQuery(fieldsQuery(project, asking));
  const found = data.filter(({ name }) => name !== 'level' && !ownFields.includes(name));
  return [...ownFields.map(name => ({ name, entries: null })), ...found];
}

type ActProps = { icon: IconName; label: string; isOff?: boolean; onClick: () => void };

function Act({ icon, label, isOff = false, onClick }: ActProps) {
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={label}
      title={isolate(label)}
      disabled={isOff}
      onClick={onClick}
    >
      <Icon name={icon} className="size-3.5" />
    </Button>
  );
}
