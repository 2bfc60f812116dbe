/** Port to facts for rules that log entries do not hold. */

/** How full each of a project's quotas is, in whole percent, rounded down. */
export type QuotaUse = { quota: 'bytes' | 'files'; percent: number | null };

/** A pattern of errors, or the template of several merged ones, that a user has resolved or ignored. */
export type DecidedIssue = { pattern: string; state: 'resolved' | 'ignored'; decidedAt: number };

export interface Facts {
  /** Returns names of servers that stopped reporting after the first time and up to the second. */
  listSilent(project: string, span: { after: number; upTo: number }): Promise<string[]>;
  /** Returns names of servers that report now. */
  listReporting(project: string, now: number): Promise<string[]>;
  /** Returns bytes, then files. `percent` is null without such a quota. */
  readQuotas(project: string): Promise<QuotaUse[]>;
  listDecidedIssues(project: string): Promise<DecidedIssue[]>;
}
