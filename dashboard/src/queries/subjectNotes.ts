/** The team's notes about a player or another subject. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type SubjectNote = Answer<'listSubjectNotes'>['data'][number];
type NotedSubject = { kind: string; id: string };

export function subjectNotesQuery(project: string, about: NotedSubject) {
  return queryOptions({
    queryKey: ['projects', project, 'notes', about.kind, about.id],
    queryFn: async ({ signal }) =>
      (await api.listSubjectNotes({ params: { project }, query: about }, { signal })).data,
  });
}

export function useNoteCreation(project: string, about: NotedSubject) {
  return useChange(
    (text: string) => api.createSubjectNote({ params: { project }, body: { ...about, text } }),
    subjectNotesQuery(project, about),
  );
}

export function useNoteChange(project: string, about: NotedSubject) {
  return useChange(
    ({ note, text }: { note: string; text: string }) =>
      api.updateSubjectNote({ params: { project, note }, body: { text } }),
    subjectNotesQuery(project, about),
  );
}

export function useNoteDeletion(project: string, about: NotedSubject) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (note: string) => api.deleteSubjectNote({ params: { project, note } }),
    onSettled: () => queries.invalidateQueries(subjectNotesQuery(project, about)),
  });
}
