/** Sends requests to a measured service as the dashboard does: with its owner's session. */
import type { BenchService } from './processes.ts';

const owner = { email: 'owner@example.org', password: 'a password for benchmarks' };

/** Settings that give the service this owner. */
export const ownerSettings = { TAPEDECK_ADMIN_EMAIL: owner.email, TAPEDECK_ADMIN_PASSWORD: owner.password };

/** `asked` follows `/api/manage`. */
export type Ask = (asked: string, change?: object) => Promise<void>;

export async function signIn(service: BenchService): Promise<Ask> {
  const { url, headers } = await openSession(service);
  return async (asked, change) => {
    const sent = change === undefined ? {} : { method: 'PATCH', body: JSON.stringify(change) };
    const response = await fetch(`${url}${asked}`, { ...sent, headers });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(`${asked}: ${answer}`);
  };
}

/** Returns the address and headers for requests. */
export async function openSession({
  port,
}: BenchService): Promise<{ url: string; headers: Record<string, string> }> {
  const url = `http://127.0.0.1:${port}/api/manage`;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify(owner);
  const signedIn = await fetch(`${url}/sign-in`, { method: 'POST', headers: json, body });
  const [cookie = ''] = signedIn.headers.get('set-cookie')?.split(';') ?? [];
  return { url, headers: { ...json, cookie } };
}
