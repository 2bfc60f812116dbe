/** Lists the tokens of a leaving member, and asks whether to revoke them. */

import type { Answer } from '@tapedeck/client';
import { isolate } from '../../format/direction.ts';
import type { Member } from '../../queries/members.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Switch } from '../../ui/forms/Switch.tsx';

export type TokensChoice = 'revoke' | 'keep';
export type Token = Answer<'listTokens'>['tokens'][number];

type MadeTokensProps = {
  tokens: readonly Token[];
  choice: TokensChoice;
  onChoice: (choice: TokensChoice) => void;
};

/** Tokens of earlier versions name their creator only as text. */
export function isMadeBy({ createdBy, createdByUser }: Token, { id, email }: Member): boolean {
  return createdByUser === id || (createdByUser === null && createdBy === `user ${email}`);
}

/** True if a member with the role may create such a token. */
export function isWithinRole({ kind }: Token, role: Member['role']): boolean {
  return isRoleAtLeast(role, kind === 'admin' ? 'admin' : 'member');
}

const namedMax = 5; // further tokens are only counted

export function MadeTokens({ tokens, choice, onChoice }: MadeTokensProps) {
  if (tokens.length === 0) return null;
  const names = tokens
    .slice(0, namedMax)
    .map(({ prefix, name }) => isolate(name === '' ? `${prefix}…` : name));
  const more = tokens.length - names.length;
  const count = tokens.length === 1 ? '1 token' : `${tokens.length} tokens`;
  return (
    <div className="grid gap-2">
      <p>
        They created {count}: {names.join(', ')}
        {more > 0 && ` and ${more} more`}. Programs using a revoked token are refused within a second.
      </p>
      <Switch
        label="Revoke these tokens, and tokens created with them"
        checked={choice === 'revoke'}
        onChange={isRevoked => onChoice(isRevoked ? 'revoke' : 'keep')}
      />
    </div>
  );
}
