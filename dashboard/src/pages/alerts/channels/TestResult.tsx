/** Shows how the receiver responded to a test. */

import { formatCount } from '../../../format/numbers.ts';
import type { ChannelTest } from '../../../queries/channels.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { LongText } from '../../../ui/LongText.tsx';

export function TestResult({ trial }: { trial: ChannelTest }) {
  const { status, answer, tookMs } = trial;
  const isTaken = status !== null && status >= 200 && status < 300;
  return (
    <div
      role="status"
      className="grid gap-1.5 rounded-lg border border-line bg-well/60 px-3.5 py-2.5 text-sm"
    >
      <p className={`flex items-center gap-2 font-medium ${isTaken ? 'text-good' : 'text-danger'}`}>
        <Icon name={isTaken ? 'check' : 'warning'} />
        {describe(trial, isTaken)} <span className="font-normal text-muted">in {formatCount(tookMs)} ms</span>
      </p>
      {answer !== '' && <LongText as="pre" text={answer} className="font-mono text-[0.78rem]" />}
    </div>
  );
}

function describe({ status }: ChannelTest, isTaken: boolean): string {
  if (status === null) return 'No response';
  return isTaken ? `Delivered (${status})` : `Failed (${status})`;
}
