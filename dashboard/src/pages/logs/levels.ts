/** Colours of the levels in text, marks and charts. */
import type { LogLevel } from '@tapedeck/client';

export const levelLooks: Readonly<Record<LogLevel, { text: string; fill: string; variable: string }>> = {
  debug: { text: 'text-muted', fill: 'bg-level-debug', variable: '--level-debug' },
  info: { text: 'text-level-info', fill: 'bg-level-info', variable: '--level-info' },
  warn: { text: 'text-accent', fill: 'bg-accent', variable: '--accent' },
  error: { text: 'text-danger', fill: 'bg-danger', variable: '--danger' },
};
