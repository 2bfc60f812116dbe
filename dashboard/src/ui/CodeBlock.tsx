/** A command with a copy button. */
import { CopyButton } from './CopyButton.tsx';

type CodeBlockProps = { code: string; label: string; onCopied?: () => void };

export function CodeBlock({ code, label, onCopied }: CodeBlockProps) {
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-well">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keys
        tabIndex={0}
        onCopy={onCopied}
        className="overflow-x-auto p-3.5 pr-12 font-mono phone:pt-12 phone:pr-3.5 text-[0.8rem] leading-6"
      >
        {code}
      </pre>
      <div className="absolute top-1.5 right-1.5 rounded-lg bg-well">
        <CopyButton text={code} label={`Copy: ${label}`} {...(onCopied && { onCopied })} />
      </div>
    </div>
  );
}
