/** Names of the severities. */
import type { Severity } from '@tapedeck/client';

export const severityWords: Readonly<Record<Severity, string>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
};
