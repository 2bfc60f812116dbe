/** The clock, logs and lists that all parts of the service use while they open. */
import type { StoreHealth } from '@tapedeck/domain/operations/storeHealth';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { Spans } from '@tapedeck/domain/ports/spans';
import type { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
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
