/** A command to copy. */
import { CopyButton } from './CopyButton.tsx';

export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-well">
      <pre className="overflow-x-auto p-3.5 pr-12 font-mono text-[0.8rem] leading-6">{code}</pre>
      <div className="absolute top-1.5 right-1.5 rounded-lg bg-well">
        <CopyButton text={code} label={`Copy: ${label}`} />
      </div>
    </div>
  );
}
