/** Restricts a token. Collapsed, because most tokens need no restrictions. */
import { mediaTypes, type TokenKind, tokenActions } from '@tapedeck/client';
import { CheckboxGroup } from '../../ui/forms/CheckboxGroup.tsx';
import { TagsField } from '../../ui/forms/TagsField.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { type Narrowing, writeScopes } from './restrictions.ts';

type ScopesFieldsProps = {
  kind: Exclude<TokenKind, 'admin'>;
  narrowing: Narrowing;
  onChange: (narrowing: Narrowing) => void;
};

export function ScopesFields({ kind, narrowing, onChange }: ScopesFieldsProps) {
  const scopes = writeScopes(narrowing, kind);
  return (
    <details className="group rounded-lg border border-line">
      <summary className="flex list-none items-center gap-2 rounded-lg px-3.5 py-2.5 text-sm font-medium [&::-webkit-details-marker]:hidden">
        <Icon name="down" className="-rotate-90 text-muted transition-transform group-open:rotate-0" />
        Scopes
        <span className="ml-auto truncate font-normal text-muted">
          {scopes.length === 0 ? 'full access' : scopes.join(', ')}
        </span>
      </summary>
      <div className="grid gap-5 border-t border-line px-3.5 pt-4 pb-4">
        <p className="text-sm text-muted">Limits the token to what you choose.</p>
        {kind !== 'webhook' && (
          <CheckboxGroup
            label="Actions"
            values={tokenActions}
            chosen={narrowing.actions}
            onChange={actions => onChange({ ...narrowing, actions })}
          />
        )}
        {kind !== 'logs' && (
          <>
            <CheckboxGroup
              label="Media types"
              values={mediaTypes}
              chosen={narrowing.types}
              onChange={types => onChange({ ...narrowing, types })}
            />
            <TagsField
              label="Folders"
              hint={kind === 'webhook' ? 'Files are stored in the first one.' : 'Includes subfolders.'}
              placeholder="clips/2026"
              words={narrowing.folders}
              onChange={folders => onChange({ ...narrowing, folders })}
            />
          </>
        )}
        {kind !== 'media' && (
          <TagsField
            label="Datasets"
            hint="Datasets the token can use."
            placeholder="game"
            words={narrowing.datasets}
            onChange={datasets => onChange({ ...narrowing, datasets })}
          />
        )}
      </div>
    </details>
  );
}
