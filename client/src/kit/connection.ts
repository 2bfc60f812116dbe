/** What uploads and log entries need to reach the service. */

import type { Platform } from './platform.ts';
import type { Patience } from './retries.ts';

export type Connection = Patience & { url: string; token: string; platform: Platform };
