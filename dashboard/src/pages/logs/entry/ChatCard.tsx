/** Shows a chat message as in the chat: sender, coloured bar, title, fields, pictures, files. */
import { type ReactNode, useMemo, useState } from 'react';
import { Icon } from '../../../ui/Icon.tsx';
import { readMarkdown } from '../highlight/markdown.ts';
import { StyledText } from '../highlight/StyledText.tsx';
import { cutSpans } from '../highlight/spans.ts';
import { usePreference } from '../preferences.ts';
import type { ChatAttachment, ChatMessage } from './chatMessage.ts';
import { findOwnAddress } from './pictures.ts';

const linkStyle = 'underline decoration-edge underline-offset-3 hover:decoration-ink';

type Pictures = { project: string; isForeignShown: boolean; onShowForeign: () => void };
type ChatCardProps = { project: string; message: ChatMessage; terms: readonly string[] };

export function ChatCard({ project, message, terms }: ChatCardProps) {
  const [liking] = usePreference('foreignPictures');
  const [isPressed, setPressed] = useState(false);
  const pictures = {
    project,
    isForeignShown: isPressed || liking === 'on',
    onShowForeign: () => setPressed(true),
  };
  const { sender, embed, text, attachments } = message;
  return (
    <article aria-label="Chat message" className="grid grid-cols-[2.25rem_minmax(0,1fr)] gap-x-3 p-3 text-sm">
      <Avatar name={sender.name} address={sender.icon} pictures={pictures} />
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
        <bdi className="font-semibold wrap-anywhere">{sender.name}</bdi>
        {embed ? (
          <Embed embed={embed} text={text} terms={terms} pictures={pictures} />
        ) : (
          <Words text={text} terms={terms} />
        )}
        {attachments.map((attachment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: files of one message may have the same name, and stay where they are
          <Attachment key={index} attachment={attachment} pictures={pictures} />
        ))}
      </div>
    </article>
  );
}

type EmbedProps = {
  embed: NonNullable<ChatMessage['embed']>;
  text: string;
  terms: readonly string[];
  pictures: Pictures;
};

function Embed({ embed, text, terms, pictures }: EmbedProps) {
  const { colour, author, title, url, fields, image, thumbnail, footer } = embed;
  return (
    <div
      style={{ borderLeftColor: colour ?? 'var(--edge)' }}
      className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-md border-l-4 bg-panel px-3 py-2.5"
    >
      <div className="grid min-w-0 content-start gap-1.5">
        {author && (
          <p className="flex items-center gap-2 text-[0.82rem] font-medium">
            {author.icon && <Small address={author.icon} pictures={pictures} />}
            <Address url={author.url}>
              <bdi>{author.name}</bdi>
            </Address>
          </p>
        )}
        {title && (
          <p className="font-semibold wrap-anywhere">
            <Address url={url}>
              <Words text={title} terms={terms} />
            </Address>
          </p>
        )}
        {text && <Words text={text} terms={terms} />}
      </div>
      {thumbnail && <Picture address={thumbnail} pictures={pictures} className="size-16" isSmall />}
      {fields.length > 0 && (
        <dl className="col-span-full mt-2 grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-x-4 gap-y-2">
          {fields.map(({ name, value }) => (
            <div key={name} className="min-w-0">
              <dt className="font-semibold wrap-anywhere">{name}</dt>
              <dd>
                <Words text={value} terms={terms} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {image && (
        <div className="col-span-full mt-2">
          <Picture address={image} pictures={pictures} className="max-h-72 min-h-16 max-w-full" />
        </div>
      )}
      {footer && (
        <p className="col-span-full mt-2 flex items-center gap-2 text-[0.78rem] text-muted">
          {footer.icon && <Small address={footer.icon} pictures={pictures} />}
          <bdi>{footer.name}</bdi>
        </p>
      )}
    </div>
  );
}

function Words({ text, terms }: { text: string; terms: readonly string[] }) {
  const pieces = useMemo(() => cutSpans(readMarkdown(text), terms, true), [text, terms]);
  return (
    <span className="block whitespace-pre-wrap wrap-anywhere">
      <StyledText pieces={pieces} />
    </span>
  );
}

function Address({ url, children }: { url: string | null; children: ReactNode }) {
  if (url === null) return children;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={linkStyle}>
      {children}
    </a>
  );
}

function Attachment({ attachment, pictures }: { attachment: ChatAttachment; pictures: Pictures }) {
  const { filename, url, mimeType, refusal } = attachment;
  if (url !== null && mimeType.startsWith('image/')) {
    return (
      <Picture address={url} name={filename} pictures={pictures} className="max-h-72 min-h-16 max-w-full" />
    );
  }
  return (
    <p className="flex items-center gap-2 rounded-md border border-line bg-panel px-2.5 py-1.5">
      <Icon name="folder" className="text-muted" />
      <Address url={url}>
        <bdi className="wrap-anywhere">{filename}</bdi>
      </Address>
      {refusal && <span className="text-[0.78rem] text-muted">{`not kept: ${refusal}`}</span>}
    </p>
  );
}

type PictureProps = {
  address: string;
  name?: string;
  pictures: Pictures;
  className: string;
  /** True if there is no room for text. */
  isSmall?: boolean;
};

/** Shows pictures of this service at once. Other sites would see the user's IP address, so their pictures wait for a click. */
function Picture({ address, name = '', pictures, className, isSmall = false }: PictureProps) {
  const { project, isForeignShown, onShowForeign } = pictures;
  const [isBroken, setBroken] = useState(false);
  const own = findOwnAddress(address, project);
  const frame = `rounded-md border border-line bg-well object-contain ${className}`;
  if (own === null && !isForeignShown) {
    const words = `Show from ${new URL(address).host}`;
    return (
      <button
        type="button"
        title={words}
        onClick={onShowForeign}
        className={`${frame} flex items-center justify-center gap-2 px-2 text-[0.78rem] text-muted hover:text-ink`}
      >
        <Icon name="picture" />
        <span className={isSmall ? 'sr-only' : 'min-w-0 wrap-anywhere'}>{words}</span>
      </button>
    );
  }
  if (isBroken) {
    return (
      <a href={address} target="_blank" rel="noopener noreferrer" className={`${linkStyle} wrap-anywhere`}>
        {name || address}
      </a>
    );
  }
  return (
    <a href={own?.whole ?? address} target="_blank" rel="noopener noreferrer">
      <img
        src={own?.small ?? address}
        alt={name || 'Picture of the message'}
        loading="lazy"
        decoding="async"
        referrerPolicy="no-referrer"
        onError={() => setBroken(true)}
        className={frame}
      />
    </a>
  );
}

/** A small picture beside a name. Omits other sites' pictures until the user allows them. */
function Small({ address, pictures }: { address: string; pictures: Pictures }) {
  const [isBroken, setBroken] = useState(false);
  const own = findOwnAddress(address, pictures.project);
  if (isBroken || (own === null && !pictures.isForeignShown)) return null;
  return (
    <img
      src={own?.small ?? address}
      alt=""
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
      className="size-5 shrink-0 rounded-full bg-well object-cover"
    />
  );
}

function Avatar({ name, address, pictures }: { name: string; address: string | null; pictures: Pictures }) {
  const isAddress = address !== null && URL.canParse(address) && /^https?:/.test(address);
  return (
    <span
      aria-hidden="true"
      className="relative grid size-9 place-items-center overflow-hidden rounded-full bg-ink/8 font-semibold text-muted"
    >
      {[...name][0]?.toUpperCase()}
      {isAddress && (
        <span className="absolute inset-0 [&>img]:size-full">
          <Small address={address} pictures={pictures} />
        </span>
      )}
    </span>
  );
}
