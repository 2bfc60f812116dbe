/** Shows the address for the tool, and creates its token on a click. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Guide, scopesOf } from '@tapedeck/guides';
import { useId } from 'react';
import { datasetsQuery } from '../../queries/datasets.ts';
import type { Project } from '../../queries/projects.ts';
import { useTokenCreation } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import type { MadeToken } from './madeToken.ts';

type Place = { address: string; dataset: string; folder: string };

type TokenStepProps = {
  guide: Guide;
  project: Project;
  place: Place;
  made: MadeToken | null;
  onPlace: (place: Place) => void;
  onMade: (token: MadeToken | null) => void;
};

export function TokenStep({ guide, project, place, made, onPlace, onMade }: TokenStepProps) {
  const creation = useTokenCreation(project.project);
  const mayMake = isRoleAtLeast(project.role, 'member');
  const make = () => {
    const { folder } = place;
    const dataset = place.dataset || 'default';
    const scopes = scopesOf(guide, { dataset, folder });
    creation.mutate(
      { kind: guide.token.kind, name: guide.title, scopes },
      {
        onSuccess: ({ token, record }) =>
          onMade({ text: token, id: record.id, createdAt: record.createdAt, dataset, folder, scopes }),
      },
    );
  };
  return (
    <Form onSubmit={make}>
      <PlaceFields
        guide={guide}
        place={place}
        onPlace={onPlace}
        project={project.project}
        isFixed={made !== null}
      />
      {creation.error && <Notice look="error">{creation.error.message}</Notice>}
      {!mayMake && (
        <Notice look="plain">
          The settings below contain a placeholder, because your role ({project.role}) can’t create tokens.
          Ask a member of the project for one.
        </Notice>
      )}
      {mayMake && made === null && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button type="submit" look="primary" busy={creation.isPending}>
            <Icon name="key" />
            Create a token for this
          </Button>
          <span className="text-sm text-muted">
            It is named after the tool and can do only what the tool needs.
          </span>
        </div>
      )}
      {made && <Made guide={guide} project={project.project} made={made} onAgain={() => onMade(null)} />}
    </Form>
  );
}

type PlaceFieldsProps = Pick<TokenStepProps, 'guide' | 'place' | 'onPlace'> & {
  project: string;
  isFixed: boolean;
};

/** The token is limited to this dataset and folder, so the fields are fixed once it exists. */
function PlaceFields({ guide, place, onPlace, project, isFixed }: PlaceFieldsProps) {
  const list = useId();
  const { data: datasets = [] } = useQuery(datasetsQuery(project));
  const { narrowedBy } = guide.token;
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      {narrowedBy.includes('dataset') && (
        <>
          <TextField
            label="Dataset"
            hint="Entries are grouped by dataset. A new name creates a new one."
            mono
            list={list}
            pattern="[A-Za-z0-9_.\-]{1,64}"
            title="Use up to 64 letters, digits, dots, hyphens and underscores."
            autoComplete="off"
            disabled={isFixed}
            value={place.dataset}
            onChange={dataset => onPlace({ ...place, dataset })}
          />
          <datalist id={list}>
            {datasets.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
      {narrowedBy.includes('folder') && (
        <TextField
          label="Folder"
          hint="Where its files go. Leave it empty for any folder."
          mono
          placeholder="screenshots"
          autoComplete="off"
          disabled={isFixed}
          value={place.folder}
          onChange={folder => onPlace({ ...place, folder: folder.replace(/^\/+/, '') })}
        />
      )}
      <TextField
        label="Address of this service"
        hint="Change it if the tool reaches this service at another address."
        mono
        type="url"
        required
        autoComplete="off"
        value={place.address}
        onChange={address => onPlace({ ...place, address: address.trim() })}
      />
    </div>
  );
}

type MadeProps = { guide: Guide; project: string; made: MadeToken; onAgain: () => void };

function Made({ guide, project, made, onAgain }: MadeProps) {
  return (
    <div className="grid gap-2">
      <div className="flex animate-arrive flex-wrap items-center gap-3 rounded-lg border border-accent/60 bg-well px-4 py-2.5">
        <output
          aria-label="The new token"
          className="min-w-0 flex-1 basis-56 font-mono text-[0.88rem] break-all select-all"
        >
          {made.text}
        </output>
        <CopyButton text={made.text} label="Copy token" showLabel />
        <Button size="small" look="quiet" onClick={onAgain}>
          Create another
        </Button>
      </div>
      <p className="text-sm text-pretty text-muted">
        It is in the settings below, and is shown only until you leave this page. Its scopes:{' '}
        <span className="font-mono text-[0.92em]">{made.scopes.join(', ')}</span>. It is listed as “
        {guide.title}” in{' '}
        <Link
          to="/projects/$project/tokens"
          params={{ project }}
          className="underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          Tokens
        </Link>
        .
      </p>
    </div>
  );
}
