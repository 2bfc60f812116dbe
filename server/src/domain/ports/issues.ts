/** Port to what people decided about issues. An issue is a pattern of errors in a project, or several that were merged. */
import type { DecidedIssueState } from '../../vocabulary.ts';

export type IssueDecision = {
  project: string;
  /** 16 hexadecimal digits; or the template that several patterns were merged into. */
  pattern: string;
  /** open: earlier decisions that hold for it as well do so no longer. */
  state: DecidedIssueState | 'open';
  decidedAt: number;
  /** The name of the person who decided. */
  decidedBy: string;
};

export interface IssueDecisions {
  /** Sets or replaces what was decided about a pattern. */
  put(decision: IssueDecision): Promise<void>;
  /** False when there was none. */
  remove(project: string, pattern: string): Promise<boolean>;
  /** Lists decisions by pattern. */
  list(project: string): Promise<IssueDecision[]>;
}
