/** Puts a text into the clipboard and says so. */
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';

const saidForMs = 1_600;

type CopyButtonProps = {
  text: string;
  label?: string;
  showLabel?: boolean;
  autoFocus?: boolean;
  onCopied?: () => void;
};

export function CopyButton(props: CopyButtonProps) {
  const { text, label = 'Copy', showLabel = false, autoFocus = false, onCopied } = props;
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), saidForMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const isCopied = await copyText(text);
    setCopied(isCopied);
    if (isCopied) onCopied?.();
  };
  return (
    <Button
      look={showLabel ? 'plain' : 'quiet'}
      size={showLabel ? 'small' : 'icon'}
      aria-label={label}
      title={label}
      autoFocus={autoFocus}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} className={copied ? 'text-good' : ''} />
      {showLabel && <span aria-hidden="true">{copied ? 'Copied' : label}</span>}
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </Button>
  );
}

/** Browsers offer the clipboard to secure origins only, but a service on the local network is often plain http. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  // Inside an open dialog, focus may not leave it.
  (document.activeElement?.parentElement ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
