/** Everything that uploads and log entries need to reach the service. */
import type { Patience } from './patience.ts';
import type { Platform } from './platform.ts';

export type Connection = Patience & { url: string; token: string; platform: Platform };
