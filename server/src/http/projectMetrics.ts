/** The metrics of projects: what each project has stored, and which requests were refused. */

import type { ProjectCount, ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import { Counter, type Registry } from 'prom-client';

type ProjectCounter = { name: string; help: string; pick: (count: ProjectCount) => number };

const counters: readonly ProjectCounter[] = [
  {
    name: 'log_entries_total',
    help: 'Log entries received.',
    pick: ({ entries }) => entries,
  },
  {
    name: 'log_bytes_total',
    help: 'Bytes of texts of received log entries: messages, resources and metadata.',
    pick: ({ entryBytes }) => entryBytes,
  },
  {
    name: 'uploads_total',
    help: 'Files stored, through any route.',
    pick: ({ uploads }) => uploads,
  },
  {
    name: 'upload_bytes_total',
    help: 'Bytes of the files that were stored.',
    pick: ({ uploadBytes }) => uploadBytes,
  },
];

/** A series begins once it has something to count, and ends with its project. */
export function addProjectMetrics(registry: Registry, counts: Pick<ProjectCounts, 'list'>): void {
  for (const { name, help, pick } of counters) {
    new Counter({
      name: `tapedeck_${name}`,
      help,
      labelNames: ['project'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [project, count] of counts.list()) {
          const value = pick(count);
          if (value > 0) this.labels(project).inc(value);
        }
      },
    });
  }
  new Counter({
    name: 'tapedeck_refusals_total',
    help: 'Requests answered with an error, by its code; project is empty if it is unknown.',
    labelNames: ['project', 'code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [project, { refusals }] of counts.list())
        for (const [code, number] of refusals) this.labels(project, code).inc(number);
    },
  });
}
