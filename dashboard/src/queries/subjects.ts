/** Players and other subjects: proposed kinds, search, single subjects, timelines and evidence. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { type Answer, addressOf, type Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { refetchAfter } from './logs.ts';

export type SubjectKind = Answer<'getProject'>['project']['subjects'][number];
export type SubjectProposal = Answer<'listSubjectProposals'>['data'][number];
export type FoundSubject = Answer<'listSubjects'>['data'][number];
export type Subject = Answer<'getSubject'>['data'];
export type TimelineRow = Answer<'getTimeline'>['data'][number];
type TimelineQuestion = NonNullable<Input<'getTimeline'>['query']>;

const subjectsKey = (project: string) => ['projects', project, 'subjects'];

export function subjectProposalsQuery(project: string) {
  return queryOptions({
    queryKey: [...subjectsKey(project), 'proposals'],
    queryFn: async ({ signal }) => (await api.listSubjectProposals({ params: { project } }, { signal })).data,
    refetchInterval: refetchAfter(),
  });
}

/** Returns one row for all ids of a player. */
export function foundSubjectsQuery(project: string, query: { q: string; limit: number }) {
  return queryOptions({
    queryKey: [...subjectsKey(project), 'found', query],
    queryFn: async ({ signal }) => {
      const asked = { params: { project }, query: { ...query, joinIds: 'true' } };
      const { data, pagination } = await api.listSubjects(asked, { signal });
      return { subjects: data, total: pagination.total };
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(),
  });
}

const pendingMs = 3_000; // other ids are known about a minute after an admin confirms a kind

export function subjectQuery(project: string, { kind, id }: { kind: string; id: string }) {
  return queryOptions({
    queryKey: [...subjectsKey(project), 'one', kind, id],
    queryFn: async ({ signal }) => {
      const asked = { params: { project, kind, id }, query: { joinIds: 'true' } };
      return (await api.getSubject(asked, { signal })).data;
    },
    refetchInterval: query => (query.state.data?.otherIdsPending ? pendingMs : refetchAfter()(query)),
  });
}

const pageRows = 50; // a few screens

export function timelineQuery(project: string, question: TimelineQuestion) {
  return infiniteQueryOptions({
    queryKey: ['projects', project, 'timeline', question],
    // The first page has no cursor, so its type would be undefined.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...question, limit: pageRows, cursor: pageParam };
      return api.getTimeline({ params: { project }, query }, { signal });
    },
    getNextPageParam: page => page.pagination.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(),
  });
}

export function useEvidence(project: string) {
  return useMutation({
    mutationFn: async (body: Input<'createEvidence'>['body']) => {
      const response = await fetch(addressOf('createEvidence', { params: { project } }), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) {
        // All API errors have this shape.
        const { error } = (await response.json()) as { error: string };
        throw new Error(error);
      }
      const [, name = 'evidence.zip'] =
        /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
      saveFile(await response.blob(), name);
    },
  });
}

function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
