/** Shows a snippet with its title, and buttons to copy or save it. */
import type { Language } from '@tapedeck/guides';
import { Fragment } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { saveText } from './savedText.ts';

type SnippetBlockProps = {
  name: string;
  language: Language;
  text: string;
  isFile?: boolean;
  /** The token to highlight. */
  token?: string;
  /** True if the token is real. */
  isReady?: boolean;
};

export function SnippetBlock({
  name,
  language,
  text,
  isFile = false,
  token,
  isReady = true,
}: SnippetBlockProps) {
  const label = `${isFile ? 'file' : 'text'} ${name}`;
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-well">
      <figcaption className="flex min-h-10 items-center gap-2 border-b border-line py-1 pr-1.5 pl-3.5 text-[0.82rem]">
        <span className={`min-w-0 truncate ${isFile || /\.\w+$/.test(name) ? 'font-mono' : 'font-medium'}`}>
          {name}
        </span>
        <span className="ml-auto flex items-center gap-0.5">
          {isFile && (
            <Button
              size="small"
              title={
                isReady ? undefined : 'Create a token first. Without one, the file contains a placeholder.'
              }
              disabled={!isReady}
              onClick={() => saveText(name, text)}
            >
              <Icon name="download" />
              Download
            </Button>
          )}
          <CopyButton text={text} label={`Copy: ${label}`} />
        </span>
      </figcaption>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is too long or too wide is scrolled with the keys
        tabIndex={0}
        aria-label={label}
        className="max-h-112 overflow-auto focus-visible:-outline-offset-2"
      >
        <pre
          data-language={language}
          className={`w-fit p-3.5 font-mono text-[0.8rem] leading-6 ${language === 'text' ? 'whitespace-pre-wrap' : ''}`}
        >
          {token === undefined ? text : markToken(text, token)}
        </pre>
      </section>
    </figure>
  );
}

function markToken(text: string, token: string) {
  const [first, ...others] = text.split(token);
  return (
    <>
      {first}
      {others.map((rest, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name
        <Fragment key={index}>
          <mark className="rounded-xs bg-accent/18 text-ink">{token}</mark>
          {rest}
        </Fragment>
      ))}
    </>
  );
}
