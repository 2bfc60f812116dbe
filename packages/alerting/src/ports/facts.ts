/** Port to facts that rules can be about and that no log entry says. */

/** How full each of a project's quotas is, in whole per cent, rounded down. */
export type QuotaUse = { quota: 'bytes' | 'files'; percent: number | null };

/** A pattern of errors, or the template of several that were merged, with which somebody has dealt. */
export type DecidedIssue = { pattern: string; state: 'resolved' | 'ignored'; decidedAt: number };

export interface Facts {
  /** Names of the servers that stopped reporting after the first instant and up to the second. */
  listSilent(project: string, span: { after: number; upTo: number }): Promise<string[]>;
  /** Names of the servers that report at present. */
  listReporting(project: string, now: number): Promise<string[]>;
  /** Bytes, then files; null where the project has no such quota. */
  readQuotas(project: string): Promise<QuotaUse[]>;
  listDecidedIssues(project: string): Promise<DecidedIssue[]>;
}
