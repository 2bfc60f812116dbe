/** Reads request bodies as they arrive, within limits of size, time and memory. */

export { decodeBase64 } from './base64.ts';
export { readFormField } from './base64Form.ts';
export { Base64Json } from './base64Json.ts';
export { BodyFailure, bodyCodes } from './bodyFailure.ts';
export { peekBody } from './bodyHeads.ts';
export { HeldBytes, heldBytesMax, slowBodyBytesPerSecondMin, slowBodyError } from './bodyMemory.ts';
export { readPieces } from './bodyReader.ts';
export {
  type DecodedBody,
  decodeBody,
  detectEncoding,
  requireKnownEncoding,
  type SentBody,
} from './contentEncodings.ts';
export { type FormFile, readForm } from './formFields.ts';
export { formFieldsMax } from './forms.ts';
export { limitBodyIdle } from './idleBodies.ts';
export { parseJson } from './jsonText.ts';
export { readMultipart } from './multipartFile.ts';
export { readSeparated, type SeparatedFile } from './separatedBodies.ts';
export { readChunks, readWhole, requireLength } from './streamBodies.ts';
