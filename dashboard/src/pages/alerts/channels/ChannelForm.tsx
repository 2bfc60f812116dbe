/** The form of a channel in its dialog: name, kind and target. */
import {
  type ChannelEvent,
  type ChannelKind,
  channelEvents,
  findForeignTarget,
  limits,
  type Severity,
  severities,
} from '@tapedeck/client';
import { useState } from 'react';
import type { FieldErrors } from '../../../format/fieldErrors.ts';
import { DialogForm } from '../../../ui/dialogs/DialogForm.tsx';
import { CheckboxGroup } from '../../../ui/forms/CheckboxGroup.tsx';
import { RadioGroup } from '../../../ui/forms/RadioGroup.tsx';
import { TextField } from '../../../ui/forms/TextField.tsx';
import { useDebouncedValue } from '../../../ui/hooks/useDebouncedValue.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { EventCheckboxes } from './EventCheckboxes.tsx';
import { kindWords } from './kinds.ts';

export type TypedChannel = {
  name: string;
  kind: ChannelKind;
  target: string;
  events: readonly ChannelEvent[];
  severities: readonly Severity[];
};
export const channelFields = ['name', 'kind', 'target', 'events', 'severities'] as const;

type ChannelFormProps = {
  /** The label of the button that submits. */
  action: string;
  busy: boolean;
  typed: TypedChannel;
  /** A hint about the current address, which stays unless the user types a new one. */
  knownTarget: string | null;
  failure: FieldErrors<(typeof channelFields)[number]>;
  onChange: (typed: TypedChannel) => void;
  onSubmit: () => void;
  onCancel: () => void;
};

const kinds = (['discord', 'slack', 'webhook', 'email'] as const).map(kind => ({
  value: kind,
  label: kindWords[kind].name,
  meaning: kindWords[kind].meaning,
}));

export function ChannelForm(props: ChannelFormProps) {
  const { action, busy, typed, knownTarget, failure, onChange, onSubmit, onCancel } = props;
  const words = kindWords[typed.kind];
  const isNew = knownTarget === null;
  const kindFailure = failure.at('kind');
  const { warning, submit } = useTargetWarning(typed, onSubmit);
  return (
    <DialogForm action={action} busy={busy} error={failure.rest} onSubmit={submit} onCancel={onCancel}>
      {isNew && (
        <RadioGroup
          label="Kind"
          choices={kinds}
          value={typed.kind}
          onChange={kind => onChange({ ...typed, kind })}
        />
      )}
      {kindFailure && <Notice look="error">{kindFailure}</Notice>}
      <TextField
        label="Name"
        placeholder={typed.kind === 'email' ? 'Night shift' : '#alerts'}
        required
        autoComplete="off"
        maxLength={limits.nameCharactersMax}
        error={failure.at('name')}
        value={typed.name}
        onChange={name => onChange({ ...typed, name })}
      />
      <TextField
        label={words.targetLabel}
        hint={isNew ? words.how : 'Leave empty to keep the current one.'}
        placeholder={knownTarget ?? words.placeholder}
        required={isNew}
        mono
        inputMode={typed.kind === 'email' ? 'email' : 'url'}
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.channelTargetCharactersMax}
        error={failure.at('target')}
        value={typed.target}
        onChange={target => onChange({ ...typed, target })}
      />
      {warning && <Notice look="warning">{warning}</Notice>}
      <CheckboxGroup
        label="Send alerts of severity"
        values={severities}
        chosen={typed.severities}
        onChange={chosen => onChange({ ...typed, severities: chosen })}
      />
      {typed.kind === 'webhook' && (
        <EventCheckboxes
          all={channelEvents}
          chosen={typed.events}
          onChange={events => onChange({ ...typed, events })}
        />
      )}
    </DialogForm>
  );
}

/** Warns of a target that is no webhook of its service, before it is sent for the first time. */
function useTargetWarning({ kind, ...typed }: TypedChannel, onSubmit: () => void) {
  const target = typed.target.trim();
  const settled = useDebouncedValue(target);
  const [held, setHeld] = useState('');
  const warning = findForeign(kind, held === target ? target : settled);
  const submit = () => {
    const isWarned = warning !== null || findForeign(kind, target) === null;
    if (isWarned) onSubmit();
    else setHeld(target);
  };
  return { warning, submit };
}

function findForeign(kind: ChannelKind, target: string): string | null {
  return target === '' ? null : findForeignTarget(kind, target);
}

/** Choosing all or none means no filter. */
export function writeSeverities(chosen: readonly Severity[]): Severity[] {
  return chosen.length === severities.length ? [] : [...chosen];
}
