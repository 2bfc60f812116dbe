/** Builds pages that describe an API from its OpenAPI document. */
export type { ApiDocument } from './operations.ts';
export { openReference, type Reference, type SearchEntry } from './reference.ts';
