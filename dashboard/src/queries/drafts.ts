/** Keeps what a user typed while they sign in again after their session ended. It stays in this tab's memory. */
import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { meQuery, useMe } from './session.ts';

const kept = new Map<string, unknown>();

/** Like `useState`, but the same user finds the text again. `key` names the form within the dashboard. */
export function useDraft<Draft>(key: string, begun: () => Draft): [Draft, Dispatch<SetStateAction<Draft>>] {
  const queries = useQueryClient();
  const { id } = useMe();
  const [name] = useState(`${id} ${key}`); // the form stays this user's when another one signs in
  // Each key has one form, so what was kept has its type.
  const [draft, setDraft] = useState(() => (kept.has(name) ? (kept.get(name) as Draft) : begun()));
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => {
    kept.delete(name);
    return () => {
      const hasEnded = queries.getQueryData(meQuery.queryKey) === undefined;
      if (hasEnded) kept.set(name, latest.current);
    };
  }, [name, queries]);
  return [draft, setDraft];
}
