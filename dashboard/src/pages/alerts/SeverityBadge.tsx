/** Shows the severity of a rule's alerts. */
import type { Severity } from '@tapedeck/client';
import { Badge } from '../../ui/Badge.tsx';
import { severityWords } from './severities.ts';

const looks = { info: 'plain', warning: 'strong', critical: 'accent' } as const;

export function SeverityBadge({ severity }: { severity: Severity }) {
  return <Badge look={looks[severity]}>{severityWords[severity]}</Badge>;
}
