/** Edits metadata: all lines of one file, or lines to add to several. */
import { useState } from 'react';
import { countThings } from '../../../format/numbers.ts';
import { Button } from '../../../ui/Button.tsx';
import { controlStyle } from '../../../ui/forms/Field.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { composePatch, listEditable, type MetadataChange, readTyped } from '../metadata.ts';
import { EditsForm } from './EditsForm.tsx';
import type { ActionDialogProps } from './fileActions.ts';

type Line = {
  key: number;
  name: string;
  text: string;
  /** The file's line; null if it is new. */
  before: { keys: readonly string[]; text: string; value: unknown } | null;
};

export function MetadataDialog(props: ActionDialogProps) {
  const { files } = props;
  const [only] = files.length === 1 ? files : [];
  const [known] = useState<readonly Line[]>(() => (only ? listLines(only.metadata) : []));
  const [lines, setLines] = useState<readonly Line[]>(() => [...known, makeLine()]);
  const edit = (key: number, change: Partial<Line>) =>
    setLines(lines.map(line => (line.key === key ? { ...line, ...change } : line)));
  return (
    <EditsForm
      {...props}
      title={only ? 'Edit metadata' : `Edit metadata of ${countThings(files.length, 'file')}`}
      about={
        only
          ? 'Use dots for nested values, such as player.id.'
          : 'Applies to every selected file. Leave a value empty to remove it.'
      }
      action="Save"
      done="changed"
      compose={() => {
        const changes = only ? compareLines(known, lines) : listAdded(lines);
        return changes.length === 0 ? null : { metadata: composePatch(changes) };
      }}
    >
      <ul className="grid gap-2">
        {lines.map(line => (
          <li key={line.key} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-center gap-2">
            <input
              aria-label="Name"
              placeholder="player.id"
              value={line.name}
              readOnly={line.before !== null}
              onChange={event => edit(line.key, { name: event.target.value })}
              className={`${controlStyle} h-10 font-mono text-[0.84rem] read-only:border-transparent`}
            />
            <input
              aria-label={line.name === '' ? 'Value' : `Value of ${line.name}`}
              placeholder="value"
              value={line.text}
              onChange={event => edit(line.key, { text: event.target.value })}
              className={`${controlStyle} h-10 font-mono text-[0.84rem]`}
            />
            <Button
              look="quiet"
              size="icon"
              aria-label={line.name === '' ? 'Remove this value' : `Remove ${line.name}`}
              onClick={() => setLines(lines.filter(({ key }) => key !== line.key))}
            >
              <Icon name="cross" className="size-3" />
            </Button>
          </li>
        ))}
      </ul>
      <Button className="justify-self-start" size="small" onClick={() => setLines([...lines, makeLine()])}>
        <Icon name="plus" />
        Add a value
      </Button>
    </EditsForm>
  );
}

let lineCount = 0;

function makeLine(): Line {
  return { key: ++lineCount, name: '', text: '', before: null };
}

function listLines(metadata: Parameters<typeof listEditable>[0]): Line[] {
  return listEditable(metadata).map(({ name, ...before }) => ({
    ...makeLine(),
    name,
    text: before.text,
    before,
  }));
}

/** Sends only changed lines, because someone else may have changed the others. */
function compareLines(known: readonly Line[], lines: readonly Line[]): MetadataChange[] {
  const removed = known
    .filter(line => !lines.some(({ key }) => key === line.key))
    .map(({ before }) => ({ keys: before?.keys ?? [], value: null }));
  const changed = lines.flatMap(({ before, text }) =>
    before !== null && before.text !== text
      ? [{ keys: before.keys, value: readTyped(text, before.value) }]
      : [],
  );
  const added = listAdded(lines).filter(({ value }) => value !== null);
  return [...removed, ...changed, ...added];
}

function listAdded(lines: readonly Line[]): MetadataChange[] {
  return lines.flatMap(({ before, name, text }) =>
    before === null && name.trim() !== ''
      ? [{ keys: splitName(name.trim()), value: text === '' ? null : text }]
      : [],
  );
}

function splitName(name: string): string[] {
  return name.split('.').filter(key => key !== '');
}
