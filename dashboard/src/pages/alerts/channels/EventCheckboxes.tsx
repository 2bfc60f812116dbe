/** Chooses which events a webhook receives besides alerts. */
import type { ChannelEvent } from '@tapedeck/client';
import { eventWords } from './kinds.ts';

type EventChecksProps = {
  all: readonly ChannelEvent[];
  chosen: readonly ChannelEvent[];
  onChange: (chosen: readonly ChannelEvent[]) => void;
};

export function EventCheckboxes({ all, chosen, onChange }: EventChecksProps) {
  return (
    <fieldset>
      <legend className="text-sm font-medium">Also notify when</legend>
      <p className="mb-1.5 text-sm text-muted">Rules that use this channel always notify it.</p>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {all.map(event => (
          <label key={event} className="flex min-h-8 items-center gap-2.5 text-sm">
            <input
              type="checkbox"
              checked={chosen.includes(event)}
              onChange={({ target }) =>
                onChange(all.filter(each => (each === event ? target.checked : chosen.includes(each))))
              }
              className="size-4 accent-(--accent)"
            />
            <span>
              {eventWords[event]} <span className="font-mono text-[0.78rem] text-muted">{event}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
