/** Shows who is working on an alert, and when they said so. */
import type { Rule } from '../../queries/rules.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';

type Acknowledgement = NonNullable<Rule['firing'][number]['acknowledged']>;

export function AcknowledgedBy({ by, at }: Acknowledgement) {
  return (
    <>
      <bdi>{nameActor(by)}</bdi> is on it, acknowledged <Timestamp at={at} />
    </>
  );
}

/** Users by their e-mail address; others as they are. */
export function nameActor(by: string): string {
  return by.replace(/^user /, '');
}
