/** Resumable uploads over tus 1.0.0. */
export { ResumableFailure, resumableCodes } from './failures.ts';
export {
  type Chunk,
  type Creation,
  chooseMethod,
  describeServer,
  describeUpload,
  exposedHeaders,
  protocolHeaders,
  readChunk,
  readCreation,
  requireVersion,
} from './protocol.ts';
export type { Upload, UploadRecords } from './records.ts';
export {
  type ArrivedBytes,
  ResumableUploads,
  type SentChunk,
  type UploadUse,
} from './uploads.ts';
