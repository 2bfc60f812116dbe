/** Types of the conformance suite: a case, its context, and the adapter that provides databases. */
import type { Library } from '../../samples/library.ts';
import type { Database, DatabasePlace } from '../../src/index.ts';

type EmptyDatabase = AsyncDisposable & { place: DatabasePlace };

export type Adapter = {
  name: string;
  createEmpty: () => Promise<EmptyDatabase>;
  /** Rejects if the database's files are inconsistent. */
  checkIntegrity: (place: DatabasePlace) => Promise<void>;
};

type CaseContext = { adapter: Adapter; place: DatabasePlace; database: Database<Library> };

export type ConformanceCase = { title: string; run: (context: CaseContext) => Promise<void> };
