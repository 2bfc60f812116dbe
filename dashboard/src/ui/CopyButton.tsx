/** Copies a text to the clipboard and says so. */
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { copyText, showForCopying } from './copying.ts';
import { Icon } from './Icon.tsx';

const copiedForMs = 1_600;

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
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), copiedForMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const confirm = () => {
    setCopied(true);
    onCopied?.();
  };
  const copy = async () => {
    const copied = typeof text === 'string' ? text : text();
    if (await copyText(copied)) confirm();
    else showForCopying(copied, confirm);
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
      <Icon name={isCopied ? 'check' : 'copy'} className={isCopied ? 'text-good' : ''} />
      {showLabel && <span aria-hidden="true">{isCopied ? 'Copied' : label}</span>}
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </Button>
  );
}
