/** Port to pending deletions of log entries. The log store reads it. */
export type { LogDeletions } from '@tapedeck/log-store';
