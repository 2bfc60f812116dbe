/** Port to people's decisions about issues. An issue is a pattern of errors in a project, or several merged ones. */
import type { DecidedIssueState } from '../vocabulary.ts';

export type IssueDecision = {
  project: string;
  /** 16 hexadecimal digits, or the template into which several patterns were merged. */
  pattern: string;
  /** open: cancels earlier decisions that would apply to it. */
  state: DecidedIssueState | 'open';
  decidedAt: number;
  /** The name of the person who decided. */
  decidedBy: string;
};

export interface IssueDecisions {
  /** Sets or replaces the decision about a pattern. */
  put(decision: IssueDecision): Promise<void>;
  /** Returns false if there was none. */
  remove(project: string, pattern: string): Promise<boolean>;
  /** Lists decisions by pattern. */
  list(project: string): Promise<IssueDecision[]>;
}
