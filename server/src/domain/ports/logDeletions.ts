/** Port to deletions of log entries that nodes still have to apply. The log store reads it. */
export type { LogDeletions } from '@tapedeck/log-store';
