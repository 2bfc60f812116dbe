/** The clock, logs and lists that all parts of the service use while they open. */
import type { StoreHealth } from '../domain/operations/storeHealth.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Spans } from '../domain/ports/spans.ts';
import type { ProjectCounts } from '../domain/projects/projectCounts.ts';
import type { OutageLog } from '../jobs/outageLog.ts';
import type { Repeated } from '../jobs/scheduler.ts';

export type SharedParts = {
  log: OutageLog;
  clock: Clock;
  signal: AbortSignal | undefined;
  opened: AsyncDisposableStack;
  /** Jobs that run repeatedly once everything is open. */
  repeated: Repeated[];
  watch: StoreHealth;
  counts: ProjectCounts;
  spans: Spans | null;
};
