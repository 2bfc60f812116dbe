/** Shows who is working on an alert, and since when. */
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

/** Names users by their email address, others unchanged. */
export function nameActor(by: string): string {
  return by.replace(/^user /, '');
}
