/**
 * Counts what each project stored and had refused at this node since its start. The counts are plain numbers, read on demand: most requests
 * end here, so counting one costs a single map lookup.
 */

import type { AccessDirectory } from '../identity/access.ts';
import type { ErrorCode } from '../vocabulary.ts';

export type ProjectCount = {
  entries: number;
  entryBytes: number;
  uploads: number;
  uploadBytes: number;
  refusals: Map<ErrorCode, number>;
};

/** For requests without a known project; invented names are not remembered. */
const noProject = '';

export class ProjectCounts {
  readonly #access: Pick<AccessDirectory, 'findProject'>;
  readonly #counts = new Map<string, ProjectCount>();

  constructor(access: Pick<AccessDirectory, 'findProject'>) {
    this.#access = access;
  }

  countEntries(project: string, { rows, textBytes }: { rows: number; textBytes: number }): void {
    const count = this.#countOf(project);
    count.entries += rows;
    count.entryBytes += textBytes;
  }

  countUpload(project: string, sizeBytes: number): void {
    const count = this.#countOf(project);
    count.uploads += 1;
    count.uploadBytes += sizeBytes;
  }

  countRefusal(project: string | null, code: ErrorCode): void {
    const isThere = project !== null && this.#access.findProject(project) !== null;
    const { refusals } = this.#countOf(isThere ? project : noProject);
    refusals.set(code, (refusals.get(code) ?? 0) + 1);
  }

  /** Returns the counts of all projects that have some. Drops those of deleted projects. */
  list(): Iterable<[project: string, count: ProjectCount]> {
    for (const project of this.#counts.keys())
      if (project !== noProject && this.#access.findProject(project) === null) this.#counts.delete(project);
    return this.#counts;
  }

  #countOf(project: string): ProjectCount {
    const known = this.#counts.get(project);
    if (known !== undefined) return known;
    const made = { entries: 0, entryBytes: 0, uploads: 0, uploadBytes: 0, refusals: new Map() };
    this.#counts.set(project, made);
    return made;
  }
}
