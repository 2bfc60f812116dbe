/** Copies a text to the clipboard and says so. */
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';

const outcomes = {
  copied: { words: 'Copied', icon: 'check', colour: 'text-good', forMs: 1_600 },
  refused: { words: 'Copying is blocked', icon: 'warning', colour: 'text-danger', forMs: 6_000 },
} as const;
// Must not cover the text, which the user now copies by hand.
const refusalStyle =
  'absolute right-0 bottom-full z-10 mb-1 rounded-md border border-line bg-panel px-2 py-1 text-[0.78rem] whitespace-nowrap text-danger shadow-float';

type CopyButtonProps = {
  /** A function returns the text at the moment of the click. */
  text: string | (() => string);
  label?: string;
  showLabel?: boolean;
  autoFocus?: boolean;
  onCopied?: () => void;
};

export function CopyButton(props: CopyButtonProps) {
  const { text, label = 'Copy', showLabel = false, autoFocus = false, onCopied } = props;
  const [told, setTold] = useState<keyof typeof outcomes | null>(null);
  useEffect(() => {
    if (told === null) return;
    const timer = setTimeout(() => setTold(null), outcomes[told].forMs);
    return () => clearTimeout(timer);
  }, [told]);
  const copy = async () => {
    const isCopied = await copyText(typeof text === 'string' ? text : text());
    setTold(isCopied ? 'copied' : 'refused');
    if (isCopied) onCopied?.();
  };
  const outcome = told && outcomes[told];
  return (
    <Button
      look={showLabel ? 'plain' : 'quiet'}
      size={showLabel ? 'small' : 'icon'}
      aria-label={label}
      title={label}
      className="relative"
      autoFocus={autoFocus}
      onClick={() => void copy()}
    >
      <Icon name={outcome?.icon ?? 'copy'} className={outcome?.colour ?? ''} />
      {showLabel && <span aria-hidden="true">{outcome?.words ?? label}</span>}
      <span role="status" className={told === 'refused' && !showLabel ? refusalStyle : 'sr-only'}>
        {outcome?.words ?? ''}
      </span>
    </Button>
  );
}

/** Browsers offer the clipboard only to secure origins, but a service on the local network is often plain http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard is missing or forbidden. The older way needs no permission after a click.
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const pressed = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.className = 'fixed size-px opacity-0';
  // An open dialog keeps the focus inside.
  (pressed?.parentElement ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (pressed instanceof HTMLElement) pressed.focus();
  return isCopied;
}
