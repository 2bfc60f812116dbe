/** Tables of cases that every metadata store must pass, run on each dialect. */
import { describe, it } from 'node:test';
import { openMetadataStore } from '../src/store.ts';
import { accessCases } from './conformance/accessCases.ts';
import { accountCases } from './conformance/accountCases.ts';
import { alertingCases } from './conformance/alertingCases.ts';
import type { Adapter, ConformanceCase } from './conformance/cases.ts';
import { clockCases } from './conformance/clockCases.ts';
import { fileCases } from './conformance/fileCases.ts';
import { fileDayCases } from './conformance/fileDayCases.ts';
import { fileFolderCases } from './conformance/fileFolderCases.ts';
import { fileListCases } from './conformance/fileListCases.ts';
import { fileMoveCases } from './conformance/fileMoveCases.ts';
import { fileRaceCases } from './conformance/fileRaceCases.ts';
import { fileSearchCases } from './conformance/fileSearchCases.ts';
import { fileStreamCases } from './conformance/fileStreamCases.ts';
import { fileSubjectCases } from './conformance/fileSubjectCases.ts';
import { fileTimeCases } from './conformance/fileTimeCases.ts';
import { folderMoveCases } from './conformance/folderMoveCases.ts';
import { identityCases } from './conformance/identityCases.ts';
import { issueCases } from './conformance/issueCases.ts';
import { keyClaimCases } from './conformance/keyClaimCases.ts';
import { logSegmentCases } from './conformance/logSegmentCases.ts';
import { logViewCases } from './conformance/logViewCases.ts';
import { nodeCases } from './conformance/nodeCases.ts';
import { outboxCases } from './conformance/outboxCases.ts';
import { presignedCases } from './conformance/presignedCases.ts';
import { processCases } from './conformance/processCases.ts';
import { fileSearchRandomCases } from './conformance/randomFileSearchCases.ts';
import { rateWindowCases } from './conformance/rateWindowCases.ts';
import { recordCases } from './conformance/recordCases.ts';
import { resumableUploadCases } from './conformance/resumableUploadCases.ts';
import { sdkSessionCases } from './conformance/sdkSessionCases.ts';
import { snapshotCases } from './conformance/snapshotCases.ts';
import { subjectNoteCases } from './conformance/subjectNoteCases.ts';
import { transactionCases } from './conformance/transactionCases.ts';
import { upgradeCases } from './conformance/upgradeCases.ts';
import { uploadLinkCases } from './conformance/uploadLinkCases.ts';

const suites: Readonly<Record<string, readonly ConformanceCase[]>> = {
  'projects and tokens': accessCases,
  accounts: accountCases,
  'sign-in methods': identityCases,
  'audit log and leases': recordCases,
  files: fileCases,
  'days of files': fileDayCases,
  'folders of files': fileFolderCases,
  'lists of files': fileListCases,
  'clocks that were ahead': clockCases,
  'moves of files': fileMoveCases,
  'moves of folders': folderMoveCases,
  'races over files': fileRaceCases,
  'searches of files': fileSearchCases,
  'file searches through the contract': fileSearchRandomCases,
  'streams of files': fileStreamCases,
  'subjects of files': fileSubjectCases,
  'times of files': fileTimeCases,
  'reporting sessions': sdkSessionCases,
  'saved log views': logViewCases,
  issues: issueCases,
  'presigned tokens': presignedCases,
  'upload links': uploadLinkCases,
  'notes about subjects': subjectNoteCases,
  'rules, channels and deliveries': alertingCases,
  'the outbox': outboxCases,
  'idempotency keys': keyClaimCases,
  'segments in the bucket': logSegmentCases,
  'rate limit windows': rateWindowCases,
  nodes: nodeCases,
  'resumable uploads': resumableUploadCases,
  transactions: transactionCases,
  'export and import': snapshotCases,
  'older versions': upgradeCases,
};

export function testConformance(adapter: Adapter): void {
  for (const [suite, cases] of Object.entries(suites)) testCases(adapter, suite, cases);
}

/** Separate from the rest, because starting processes takes most of the time. */
export function testProcesses(adapter: Adapter): void {
  testCases(adapter, 'several processes', processCases);
}

function testCases(adapter: Adapter, suite: string, cases: readonly ConformanceCase[]): void {
  // Each case has a separate database and mostly waits for it.
  describe(`${adapter.name}: ${suite}`, { concurrency: 4 }, () => {
    for (const { title, run } of cases) {
      it(title, async () => {
        await using database = await adapter.createMigrated();
        await using store = await openMetadataStore(database.config);
        await run({ adapter, config: database.config, store });
      });
    }
  });
}
