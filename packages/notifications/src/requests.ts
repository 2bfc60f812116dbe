/** An HTTP request without its address. */
export type ComposedRequest = {
  headers: Readonly<Record<string, string>>;
  body: Uint8Array<ArrayBuffer> | string;
};
