/** Port to what people decided about issues. An issue is a pattern of errors in a project; open ones are not recorded. */
import type { DecidedIssueState } from '../../vocabulary.ts';

export type IssueDecision = {
  project: string;
  /** 16 hexadecimal digits. */
  pattern: string;
  state: DecidedIssueState;
  decidedAt: number;
  /** The deciding person, in words. */
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
