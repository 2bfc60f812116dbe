/** Creates a project. */

import { useNavigate } from '@tanstack/react-router';
import { limits } from '@tapedeck/client';
import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import { placeErrors } from '../../format/fieldErrors.ts';
import { useProjectCreation } from '../../queries/projects.ts';
import { useMe } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { suggestSlug } from './slug.ts';

export function NewProjectPage() {
  const me = useMe();
  return (
    <div className="max-w-xl">
      <PageHead
        title="New project"
        about="A project has its own files, logs, tokens and members, separate from other projects."
      />
      {me.isOwner ? (
        <NewProjectForm />
      ) : (
        <Notice look="plain">Only installation owners can create projects.</Notice>
      )}
    </div>
  );
}

function NewProjectForm() {
  const [name, setName] = useState('');
  /** null: derived from the name. */
  const [ownSlug, setOwnSlug] = useState<string | null>(null);
  const navigate = useNavigate();
  const creation = useProjectCreation(async project => {
    await navigate({ to: '/projects/$project', params: { project: project.project } });
    showToast(`${isolate(project.name)} created`);
  });
  const slug = ownSlug ?? suggestSlug(name);
  const failure = placeErrors(creation.error, ['name', 'slug']);
  return (
    <Panel>
      <Form onSubmit={() => creation.mutate({ name: name.trim(), slug })}>
        <TextField
          label="Name"
          required
          autoFocus
          autoComplete="off"
          maxLength={limits.nameCharactersMax}
          placeholder="Harbour Racer"
          error={failure.at('name')}
          value={name}
          onChange={setName}
        />
        <TextField
          label="Slug"
          required
          mono
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={32}
          pattern="[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?"
          title="Lower-case letters, digits, and hyphens between them."
          placeholder="harbour-racer"
          hint="Used in file URLs. It can’t be changed later."
          error={failure.at('slug')}
          value={slug}
          onChange={typed => setOwnSlug(typed === '' ? null : typed)}
        />
        {failure.rest && <Notice look="error">{failure.rest}</Notice>}
        <div className="flex justify-end">
          <Button type="submit" look="primary" busy={creation.isPending}>
            Create project
          </Button>
        </div>
      </Form>
    </Panel>
  );
}
