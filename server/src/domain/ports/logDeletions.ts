/** What was deleted of the log entries, for nodes that hold some of them still. The log store asks for it. */
export type { LogDeletions } from '@tapedeck/log-store';
