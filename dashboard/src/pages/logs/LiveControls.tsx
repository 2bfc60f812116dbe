/** Starts, stops and pauses following new entries. */

import { formatCount } from '../../format/numbers.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import type { Tail, TailState } from './tail.ts';

const words: Readonly<Record<TailState, string>> = {
  off: '',
  connecting: 'Connecting…',
  following: 'Following',
  refused: 'Not live:',
};

type LiveControlsProps = { tail: Tail; isLive: boolean; onLive: (isLive: boolean) => void };

export function LiveControls({ tail, isLive, onLive }: LiveControlsProps) {
  const { state, words: reason, isPaused, waiting } = tail;
  return (
    <div className="flex flex-wrap items-center gap-2.5">
      <span role="status" className="text-sm text-muted empty:-mr-2.5">
        {isPaused ? `Paused, ${formatCount(waiting)} new` : `${words[state]} ${reason}`.trim()}
      </span>
      {isLive && (
        <Button size="small" onClick={() => tail.setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} />
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      )}
      <Button
        size="small"
        aria-pressed={isLive}
        className="aria-pressed:border-accent"
        onClick={() => onLive(!isLive)}
      >
        <span
          aria-hidden="true"
          className={`size-2 rounded-full ${state === 'following' && !isPaused ? 'animate-pulse bg-accent' : 'bg-edge'}`}
        />
        Live
      </Button>
    </div>
  );
}
