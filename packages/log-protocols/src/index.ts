/** What the package offers: log entries out of bodies as the field's tools write them, be it with care or without, and the answers that are bytes themselves. */

export { type BulkItem, readBulk } from './bulk.ts';
export { answerCluster, spellClusterFailure, wrapDocument } from './cluster.ts';
export { type DatadogOptions, readDatadog } from './datadog.ts';
export { type BulkRun, writeBulk } from './direct/bulk.ts';
export { writeDatadog } from './direct/datadog.ts';
export { writeLines } from './direct/lines.ts';
export { writeLokiJson, writeLokiProtobuf } from './direct/loki.ts';
export { writeOtlpJson } from './direct/otlpJson.ts';
export { writeOtlpProtobuf } from './direct/otlpProtobuf.ts';
export { writeSplunkEvents } from './direct/splunk.ts';
export type { DirectTask } from './direct/writer.ts';
export { repairItem } from './lenient/mendedItems.ts';
export { findLenientEntries, type LenientPlace } from './lenient/sentEntries.ts';
export { type LineNames, type LineOptions, readLines, readObjects, usualLineNames } from './lines.ts';
export { readLokiJson, readLokiProtobuf } from './loki/loki.ts';
export {
  type OtlpEncoding,
  type OtlpRefusal,
  readOtlp,
  writeOtlpError,
  writeOtlpResponse,
} from './otlp/otlp.ts';
export { ProtocolFailure, protocolCodes, type SentEntry, type Wording } from './sentEntry.ts';
export { readSnappy } from './snappy.ts';
export { findSplunkCode, readSplunkEvents, readSplunkRaw } from './splunk.ts';
export { readAnyTime } from './times.ts';
