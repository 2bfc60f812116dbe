/** What the package offers: log entries out of bodies as the field's tools write them, be it with care or without, and the answers that are bytes themselves. */

export { type BulkItem, readBulk } from './bulk.ts';
export { mendCarelessItem } from './careless/mendedItems.ts';
export { type CarelessPlace, findCarelessEntries } from './careless/sentEntries.ts';
export { answerCluster, spellClusterFailure, wrapDocument } from './cluster.ts';
export { type DatadogOptions, readDatadog } from './datadog.ts';
export { type LineNames, type LineOptions, readLines, readObjects, usualLineNames } from './lines.ts';
export { readLokiJson, readLokiProtobuf } from './loki/loki.ts';
export {
  type OtlpEncoding,
  type OtlpRefusal,
  readOtlp,
  writeOtlpAnswer,
  writeOtlpError,
} from './otlp/otlp.ts';
export { type BulkRun, writeBulk } from './plain/bulkPlain.ts';
export { writeDatadog } from './plain/datadogPlain.ts';
export { writeLines } from './plain/linesPlain.ts';
export { writeLokiJson, writeLokiProtobuf } from './plain/lokiPlain.ts';
export { writeOtlpJson } from './plain/otlpPlainJson.ts';
export { writeOtlpProtobuf } from './plain/otlpPlainProtobuf.ts';
export type { PlainTask } from './plain/plainWriter.ts';
export { writeSplunkEvents } from './plain/splunkPlain.ts';
export { ProtocolFailure, protocolCodes, type SentEntry, type Wording } from './sentEntry.ts';
export { readSnappy } from './snappy.ts';
export { findSplunkCode, readSplunkEvents, readSplunkRaw } from './splunk.ts';
