/** Port to the people who change rules and channels: their rights, and the transaction of each change. */
import type { AlertAction } from '../kinds.ts';
import type { AlertRecords } from './records.ts';

export type AuditLine = {
  project: string;
  action: AlertAction;
  target: string;
  details: Readonly<Record<string, unknown>>;
};

/** A change in progress: who makes it, when, and on which records. */
export type Change = {
  records: AlertRecords;
  now: number;
  /** The editor's name, as records keep it. */
  madeBy: string;
  /** Throws unless the project exists. */
  requireProject(project: string): Promise<void>;
  audit(line: AuditLine): Promise<void>;
};

export interface Editor {
  /** Throws unless the editor may change the project's rules and channels. */
  requireRights(project: string): void;
  /** Runs editors' transactions one at a time, across all processes. */
  change<T>(work: (change: Change) => Promise<T>): Promise<T>;
}
