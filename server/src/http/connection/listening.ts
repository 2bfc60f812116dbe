/** Listens on the configured address and port, or throws a sentence that says why it cannot. */
import { type AddressInfo, isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../vocabulary.ts';

/** Resolves to the port, which the system chose if it was 0. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<number> {
  try {
    await app.listen({ host, port, backlog: 4096 }); // a burst of connections waits rather than fails
  } catch (cause) {
    throw new ServiceError('unavailable', describeListenFailure(cause, host, port), { cause });
  }
  // A string would be a socket's path, and none is listened on.
  return (app.server.address() as AddressInfo).port;
}

/** The host by which this machine itself reaches the service. */
export function nameHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}

function describeListenFailure(cause: unknown, host: string, port: number): string {
  // Failures of the system carry its code.
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use; set TAPEDECK_PORT to another, or stop what listens there.`;
  if (code === 'EACCES')
    return `Port ${port} may not be used without more rights; set TAPEDECK_PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `This machine has no address ${host}; set TAPEDECK_HOST to one of its own, or to 0.0.0.0.`;
  }
  return `It is not possible to listen on ${host}, port ${port} (${code}); set TAPEDECK_HOST and TAPEDECK_PORT.`;
}
