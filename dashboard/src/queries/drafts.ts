/**
 * Keeps what a user typed while they sign in again after their session ended, or until they are back in a project that they were
 * removed from. It stays in this tab's memory.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { projectQuery } from './projects.ts';
import { meQuery, useMe } from './session.ts';

const kept = new Map<string, unknown>();

/** Names a form among all those of the dashboard. */
type FormName = { project: string; form: string };

/** Like `useState`, but the same user finds the text again. */
export function useDraft<Draft>(
  { project, form }: FormName,
  begun: () => Draft,
): [Draft, Dispatch<SetStateAction<Draft>>] {
  const queries = useQueryClient();
  const { id } = useMe();
  const [name] = useState(`${id} ${project} ${form}`); // the form stays this user's when another one signs in
  // Each key has one form, so what was kept has its type.
  const [draft, setDraft] = useState(() => (kept.has(name) ? (kept.get(name) as Draft) : begun()));
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => {
    kept.delete(name);
    return () => {
      const isGone = [meQuery, projectQuery(project)].some(
        ({ queryKey }) => queries.getQueryData(queryKey) === undefined,
      );
      if (isGone) kept.set(name, latest.current);
    };
  }, [name, project, queries]);
  return [draft, setDraft];
}
