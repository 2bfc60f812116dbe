/** The form for a new token: kind, name, restrictions and expiry. */
import { limits, type TokenKind } from '@tapedeck/client';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import type { Project } from '../../queries/projects.ts';
import { useTokenCreation } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { RadioGroup, type RadioOption } from '../../ui/forms/RadioGroup.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { ExpiryField } from './ExpiryField.tsx';
import { type Narrowing, notNarrowed, writeScopes } from './restrictions.ts';
import { ScopesFields } from './ScopesFields.tsx';

const fields = ['name', 'kind', 'expiresAt'] as const;

type NewTokenFormProps = { project: Project; onCreated: (token: string) => void; onCancel: () => void };

export function NewTokenForm({ project, onCreated, onCancel }: NewTokenFormProps) {
  const [kind, setKind] = useState<TokenKind>('media');
  const [name, setName] = useState('');
  const [narrowing, setNarrowing] = useState<Narrowing>(notNarrowed);
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  const creation = useTokenCreation(project.project);
  const failure = placeErrors(creation.error, fields);
  const create = () =>
    creation.mutate(
      { kind, name: name.trim(), scopes: writeScopes(narrowing, kind), expiresAt },
      { onSuccess: ({ token }) => onCreated(token) },
    );
  return (
    <DialogForm
      action="Create token"
      busy={creation.isPending}
      error={failure.rest}
      onSubmit={create}
      onCancel={onCancel}
    >
      <TextField
        label="Name"
        hint="Helps you recognise it later."
        placeholder="Game server, Berlin"
        autoComplete="off"
        maxLength={limits.nameCharactersMax}
        error={failure.at('name')}
        value={name}
        onChange={setName}
      />
      <RadioGroup label="Kind" choices={listKinds(project)} value={kind} onChange={setKind} />
      <ExpiryField error={failure.at('expiresAt')} onChange={setExpiresAt} />
      {kind !== 'admin' && <ScopesFields kind={kind} narrowing={narrowing} onChange={setNarrowing} />}
    </DialogForm>
  );
}

function listKinds({ role }: Project): readonly RadioOption<TokenKind>[] {
  const mayManage = isRoleAtLeast(role, 'admin');
  return [
    { value: 'media', label: 'Media', meaning: 'Uploads, lists and deletes files.' },
    { value: 'logs', label: 'Logs', meaning: 'Writes and searches logs.' },
    {
      value: 'webhook',
      label: 'Webhook',
      meaning: 'Works like a Discord webhook: messages become log entries, and their files are kept.',
    },
    {
      value: 'admin',
      label: 'Admin',
      meaning: mayManage ? 'Manages this project like an admin.' : 'Only admins can create these.',
      disabled: !mayManage,
    },
  ];
}
