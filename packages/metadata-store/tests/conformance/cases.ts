/** Types of the conformance suite: a case, its context, and the adapter that provides databases. */
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { MetadataConfig } from '../../src/store.ts';

type ThrowawayDatabase = AsyncDisposable & { config: MetadataConfig };

export type Adapter = {
  name: string;
  createEmpty: () => Promise<ThrowawayDatabase>;
  /** Creates a database that the store need not migrate first. */
  createMigrated: () => Promise<ThrowawayDatabase>;
  /** Rejects if the database's files are inconsistent. */
  checkIntegrity: (config: MetadataConfig) => Promise<void>;
};

type CaseContext = { adapter: Adapter; config: MetadataConfig; store: MetadataStore };

export type ConformanceCase = { title: string; run: (context: CaseContext) => Promise<void> };
