/** Chooses the channels that a rule notifies. Users can create one without leaving the page. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { channelsQuery } from '../../../queries/channels.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { kindWords } from '../channels/kinds.ts';
import { NewChannelDialog } from '../channels/NewChannelDialog.tsx';

type ChannelTicksProps = {
  project: string;
  chosen: readonly string[];
  error: string | null;
  onChange: (chosen: readonly string[]) => void;
};

export function ChannelCheckboxes({ project, chosen, error, onChange }: ChannelTicksProps) {
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  const [creating, setCreating] = useState(false);
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">Notify these channels</legend>
      {channels.length === 0 && <p className="text-sm text-muted">No channels yet.</p>}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 sm:grid-cols-[repeat(2,minmax(0,1fr))]">
        {channels.map(({ id, name, kind, enabled }) => (
          <label
            key={id}
            className="flex min-h-10 items-center gap-2.5 rounded-lg border border-line bg-panel px-3 py-1.5 text-sm hover:border-edge
              has-checked:border-ink"
          >
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, id] : chosen.filter(each => each !== id))
              }
              className="size-4 shrink-0 accent-(--accent)"
            />
            <bdi className="min-w-0 truncate">{name}</bdi>
            <span className="ml-auto shrink-0 text-[0.82rem] text-muted">
              {kindWords[kind].name}
              {!enabled && ', off'}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
      <Button size="small" className="justify-self-start" onClick={() => setCreating(true)}>
        <Icon name="plus" />
        Add a channel
      </Button>
      <NewChannelDialog
        project={project}
        open={creating}
        onClose={() => setCreating(false)}
        onCreated={({ id }) => onChange([...chosen, id])}
      />
    </fieldset>
  );
}
