/** The connection that uploads and log entries share. */

import type { Platform } from './platform.ts';
import type { Patience } from './retries.ts';

export type Connection = Patience & { url: string; token: string; platform: Platform };
