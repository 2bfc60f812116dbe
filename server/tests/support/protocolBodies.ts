/** Bodies of other programs' protocols, sent with the service's token or the credentials their clients would use. */
import type { TestService } from './service.ts';

export type Sent = {
  path: string;
  body: string | Uint8Array;
  type?: string;
  headers?: Record<string, string>;
  method?: string;
};

export function openSender({ fetch }: TestService, token: string): (sent: Sent) => Promise<Response> {
  const authorization = { authorization: `Bearer ${token}` };
  return ({ path, body, type = 'application/json', headers, method = 'POST' }) =>
    fetch(path, { method, body, headers: { 'content-type': type, ...(headers ?? authorization) } });
}

export const nowNanos = `${Date.now()}000000`;

/** One error from a service called `web`. */
export const otlpBody = JSON.stringify({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'web' } }] },
      scopeLogs: [{ logRecords: [{ severityNumber: 17, body: { stringValue: 'boom' } }] }],
    },
  ],
});
