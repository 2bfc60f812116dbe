/** Listens on the configured address and port, or throws a sentence that says why it cannot. */
import { type AddressInfo, isIPv6 } from 'node:net';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyInstance } from 'fastify';

/** Resolves to the port; for 0, the system chooses one. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<number> {
  try {
    await app.listen({ host, port, backlog: 4096 }); // makes a burst of connections wait instead of fail
  } catch (cause) {
    throw new ServiceError('unavailable', describeListenFailure(cause, host, port), { cause });
  }
  // It would be a string only for a socket path.
  return (app.server.address() as AddressInfo).port;
}

/** Returns the host under which this machine reaches the service. */
export function nameHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}

function describeListenFailure(cause: unknown, host: string, port: number): string {
  // System errors carry a code.
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use; set TAPEDECK_PORT to another, or stop the program that uses it.`;
  if (code === 'EACCES') return `Port ${port} needs more rights; set TAPEDECK_PORT to a port above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `This machine does not have the address ${host}; set TAPEDECK_HOST to one that it has, or to 0.0.0.0.`;
  }
  return `The service cannot listen on ${host}, port ${port} (${code}); set TAPEDECK_HOST and TAPEDECK_PORT.`;
}
