/** The supported protocols with their routes, and readers that can be used without a route. */
import { datadog } from './datadog/protocol.ts';
import { elasticsearch } from './elasticsearch/protocol.ts';
import { fivemerr } from './fivemerr/protocol.ts';
import { forward } from './forward/protocol.ts';
import { gelf } from './gelf/protocol.ts';
import { journald } from './journald/protocol.ts';
import { lines } from './lines/protocol.ts';
import { loki } from './loki/protocol.ts';
import { otlp } from './otlp/protocol.ts';
import type { Protocol } from './protocol.ts';
import { sentry } from './sentry/protocol.ts';
import { splunk } from './splunk/protocol.ts';
import { syslog } from './syslog/protocol.ts';

/** Lists every protocol. To add a protocol, create a folder and list it here. */
export const protocols: readonly Protocol[] = [
  loki,
  otlp,
  elasticsearch,
  datadog,
  splunk,
  lines,
  gelf,
  sentry,
  journald,
  syslog,
  forward,
  fivemerr,
];

export { readDatadog } from './datadog/reader.ts';
export type { DirectTask } from './direct/writer.ts';
export { readBulk } from './elasticsearch/bulk.ts';
export {
  detectPacking,
  type ForwardMessage,
  isKnownKey,
  type LongHead,
  type Packing,
  readChunkName,
  readForwardMessage,
  readLongHead,
  readPing,
  writeAck,
  writeHelo,
  writePong,
} from './forward/messages.ts';
export { ValueReader, ValueScanner } from './forward/msgpack.ts';
export { repairItem } from './lenient/repairedItems.ts';
export { findLenientEntries, type LenientPlace } from './lenient/sentEntries.ts';
export { readLines, usualLineNames } from './lines/reader.ts';
export { readLokiJson, readLokiProtobuf } from './loki/reader.ts';
export { readOtlp } from './otlp/reader.ts';
export {
  type BodyEncoding,
  type BodyPieces,
  type EntryRoute,
  type FileSeparator,
  type OtherProtocol,
  type Protocol,
  type ProtocolAnswer,
  type ProtocolRequest,
  type QuestionRoute,
  type Refusals,
  type WrittenEntries,
  writeNothing,
} from './protocol.ts';
export { ProtocolFailure, protocolCodes, type SentEntry } from './reading/sentEntry.ts';
export { readSnappy } from './reading/snappy.ts';
export { readAnyTime } from './reading/times.ts';
export { readSplunkEvents, readSplunkRaw } from './splunk/reader.ts';
export { packMessages, readDatagram, SyslogFrames, type SyslogMessage } from './syslog/frames.ts';
