/** What is sent by HTTP, but for the address. */
export type ComposedRequest = {
  headers: Readonly<Record<string, string>>;
  body: Uint8Array<ArrayBuffer> | string;
};
