/** Handles subjects: proposed kinds, searches, and subject pages. */

import * as contract from '@tapedeck/contract/subjects';
import type { TimesUsed } from '@tapedeck/domain/ports/logQueries';
import { findKind } from '@tapedeck/domain/subjects/kinds';
import { describeSubject, type SubjectDeps, type SubjectProfile } from '@tapedeck/domain/subjects/profile';
import { type ProposalDeps, proposeKinds } from '@tapedeck/domain/subjects/proposals';
import {
  findOtherIds,
  type SubjectSearchDeps,
  searchSubjects,
} from '@tapedeck/domain/subjects/subjectSearch';
import { formatMicros } from '@tapedeck/log-entries';
import { readFlag, readPageSize } from '../queryParameters.ts';
import { type HandledRoute, handle, ok, signalOf } from '../routing.ts';

type SubjectRouteDeps = ProposalDeps & SubjectSearchDeps & SubjectDeps;

export function handleSubjects(deps: SubjectRouteDeps): HandledRoute[] {
  return [
    handle(contract.listSubjectProposals, async ({ caller, params, reply }) => {
      const kindsQuery = { ...params, settings: caller.project };
      const proposals = await proposeKinds(deps, kindsQuery, signalOf(reply));
      const data = proposals.map(({ idPaths, namePaths, ...counts }) => ({
        ...counts,
        idPaths: [...idPaths],
        namePaths: [...namePaths],
      }));
      return { ...ok, data };
    }),
    handle(contract.listSubjects, async ({ caller, params, query, reply }) => {
      const { project } = caller;
      const kinds = query.kind === undefined ? project.subjects : [findKind(project, query.kind)];
      const limit = readPageSize(query);
      const isJoined = readFlag({ joinIds: query.joinIds }, 'joinIds');
      const searchRequest = { kinds, q: query.q ?? '', isJoined, limit, cursor: query.cursor };
      const found = await searchSubjects(deps, {
        ...params,
        request: searchRequest,
        signal: signalOf(reply),
      });
      const data = found.subjects.map(({ kind, id, otherIds, entries, files, names, ...times }) => ({
        kind,
        id,
        entries,
        files,
        ...(isJoined && { otherIds: [...otherIds] }),
        names: names.map(writeNameUse),
        ...writeTimes(times),
      }));
      return { ...ok, data, pagination: { limit, total: found.total, nextCursor: found.nextCursor } };
    }),
    handle(contract.getSubject, async ({ caller, params, query, reply }) => {
      const { project, id } = params;
      const subjectQuery = { project, kind: findKind(caller.project, params.kind), id };
      const isJoined = readFlag({ joinIds: query.joinIds }, 'joinIds');
      const [subject, joined] = await Promise.all([
        describeSubject(deps, subjectQuery, signalOf(reply)),
        isJoined ? findOtherIds(deps, subjectQuery, signalOf(reply)) : undefined,
      ]);
      const otherIds = joined !== undefined && { otherIds: joined ?? [], otherIdsPending: joined === null };
      return { ...ok, data: { ...writeSubject(subject), id, ...otherIds } };
    }),
  ];
}

function writeSubject(subject: SubjectProfile) {
  return {
    kind: subject.kind,
    entries: subject.entries,
    files: subject.files,
    idPaths: [...subject.idPaths],
    ...writeTimes(subject),
    names: subject.names.map(writeNameUse),
    identifiers: subject.identifiers.map(({ path, value, ...times }) => ({
      path,
      value,
      ...writeTimes(times),
    })),
    levels: { ...subject.levels },
    types: { ...subject.types },
    resources: subject.resources.map(one => ({ ...one })),
    hours: Array.from({ length: 7 }, (_, day) => subject.hours.slice(day * 24, (day + 1) * 24)),
  };
}

function writeNameUse({ name, ...times }: TimesUsed & { name: string }) {
  return { name, ...writeTimes(times) };
}

function writeTimes({ firstMicros, lastMicros }: TimesUsed) {
  return { firstSeenAt: formatMicros(firstMicros), lastSeenAt: formatMicros(lastMicros) };
}
