/** Handles the routes of issues. */

import * as contract from '@tapedeck/contract/issues';
import { decideIssue, type Issue, listIssues } from '@tapedeck/domain/logs/issues';
import { allDatasets, type LogSearchDeps } from '@tapedeck/domain/logs/search/searchFilter';
import { listStarts } from '@tapedeck/domain/logs/search/series';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { limits } from '@tapedeck/domain/vocabulary';
import { formatMicros } from '@tapedeck/log-entries';
import type { Static } from 'typebox';
import { type HandledRoute, handle, signalOf } from '../routing.ts';
import { writeInstant } from './jsonRecords.ts';

export function handleIssues(deps: ManagementDeps & LogSearchDeps): HandledRoute[] {
  return [
    handle(contract.listIssues, async ({ params, query, reply }) => {
      const { dataset = allDatasets, warnings = false, days = limits.issueDaysDefault, state } = query;
      const issuesRequest = {
        ...params,
        dataset: dataset === allDatasets ? null : dataset,
        withWarnings: warnings,
        days,
      };
      const { issues, buckets, ...totals } = await listIssues(deps, issuesRequest, signalOf(reply));
      const chosen = issues.filter(issue => state === undefined || issue.state === state);
      return { ...totals, issues: chosen.map(writeIssue), timestamps: listStarts(buckets).map(formatMicros) };
    }),
    handle(contract.decideIssue, async ({ params, body, caller, reply }) => {
      const { state, template = null } = body;
      const changeRequest = { change: { ...params, state, template }, signal: signalOf(reply) };
      const decision = await decideIssue(deps, caller, changeRequest);
      return { issue: { pattern: params.pattern, state, ...writeDecision(decision) } };
    }),
  ];
}

const patternsMax = 100; // named one by one (CONTRACT.md, 9.1)

function writeIssue(issue: Issue): Static<typeof contract.IssueRecord> {
  const { pattern, patterns, variants, merged, template, paths, sample, state } = issue;
  const { entries, levels, players, resources } = issue;
  return {
    pattern,
    patterns: patterns.slice(0, patternsMax),
    variants,
    merged,
    template,
    paths: [...paths],
    sample,
    state,
    ...writeDecision(issue.decision),
    entries,
    levels: { ...levels },
    players,
    resources,
    firstSeenAt: formatMicros(issue.firstMicros),
    lastSeenAt: formatMicros(issue.lastMicros),
    counts: [...issue.counts],
  };
}

function writeDecision(decision: Issue['decision']) {
  if (decision === null) return { decidedAt: null, decidedBy: null };
  return { decidedAt: writeInstant(decision.decidedAt), decidedBy: decision.decidedBy };
}
