/** A picture that fits the frame, or is zoomed in steps or to its original size. */
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import type { MediaAddresses } from '../media.ts';

const step = 1.5;
const [scaleMin, scaleMax] = [0.05, 8]; // relative to the original size

type PictureProps = { file: FileRecord; addresses: MediaAddresses };

export function Picture({ file, addresses }: PictureProps) {
  const [failed, setFailed] = useState(false);
  const { image, scale, setScale, zoom } = useZoom(file.width ?? 0);
  const [isLoaded, setLoaded] = useState(false);
  const size = scale === null ? null : { width: `${(file.width ?? 0) * scale}px` };
  useZoomKeys({
    '+': () => zoom(step),
    '-': () => zoom(1 / step),
    '0': () => setScale(null),
    '1': () => setScale(1),
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      {/* biome-ignore lint/a11y/useSemanticElements: no fieldset scrolls */}
      <div
        role="group"
        aria-label="Picture"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
        onDoubleClick={() => setScale(scale === null ? 1 : null)}
        {...usePanning(scale !== null)}
        className={`h-[56dvh] overflow-auto rounded-lg bg-well ${scale === null ? 'grid place-items-center' : 'cursor-grab active:cursor-grabbing'}`}
      >
        <img
          ref={image}
          src={failed || scale !== null ? addresses.whole : addresses.view}
          alt={file.filename}
          draggable={false}
          onError={() => setFailed(true)}
          onLoad={event => setLoaded(event.currentTarget.naturalWidth > 0)}
          style={size ?? undefined}
          className={scale === null ? 'max-h-[56dvh] max-w-full min-h-0 object-contain' : 'max-w-none'}
        />
      </div>
      {isLoaded && file.width !== undefined && (
        <ZoomButtons scale={scale} onZoom={zoom} onScale={setScale} whole={addresses.whole} />
      )}
    </div>
  );
}

type ZoomButtonsProps = {
  scale: number | null;
  onZoom: (by: number) => void;
  onScale: (scale: number | null) => void;
  /** The URL of the original. */
  whole: string;
};

function ZoomButtons({ scale, onZoom, onScale, whole }: ZoomButtonsProps) {
  return (
    <div className="flex items-center justify-center gap-1.5">
      <Button size="icon" aria-label="Zoom out" title="Zoom out (-)" onClick={() => onZoom(1 / step)}>
        <Icon name="minus" />
      </Button>
      <Button size="icon" aria-label="Zoom in" title="Zoom in (+)" onClick={() => onZoom(step)}>
        <Icon name="plus" />
      </Button>
      <Button size="small" aria-pressed={scale === null} onClick={() => onScale(null)} title="0">
        Fit
      </Button>
      <Button size="small" aria-pressed={scale === 1} onClick={() => onScale(1)} title="1">
        Original size
      </Button>
      <output
        aria-label="Zoom"
        className="min-w-12 text-right font-mono text-[0.78rem] text-muted tabular-nums"
      >
        {scale === null ? '' : `${Math.round(scale * 100)} %`}
      </output>
      <a
        href={whole}
        target="_blank"
        rel="noreferrer"
        aria-label="Open in a new tab"
        title="Open in a new tab"
        className="grid size-8 place-items-center rounded-lg text-muted hover:bg-ink/6 hover:text-ink"
      >
        <Icon name="out" />
      </a>
    </div>
  );
}

/** `scale` is relative to the original size; null fits the frame. */
function useZoom(width: number) {
  const image = useRef<HTMLImageElement>(null);
  const [scale, setScale] = useState<number | null>(null);
  const zoom = (by: number) => {
    if (image.current === null) return;
    const now = scale ?? image.current.clientWidth / Math.max(width, 1);
    setScale(Math.max(scaleMin, Math.min(scaleMax, now * by)));
  };
  return { image, scale, setScale, zoom };
}

/** Listens anywhere in the dialog except in fields. */
function useZoomKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const listen = ({ key, target, ctrlKey, metaKey }: KeyboardEvent) => {
      const isTyping = target instanceof Element && target.closest('input, textarea, select');
      if (!isTyping && !ctrlKey && !metaKey) latest.current[key]?.();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Drags a picture larger than its frame. */
function usePanning(isOn: boolean) {
  const last = useRef<{ x: number; y: number } | null>(null);
  if (!isOn) return {};
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      // Touch scrolls natively.
      if (event.pointerType !== 'mouse') return;
      last.current = { x: event.clientX, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
      if (last.current === null) return;
      currentTarget.scrollBy(last.current.x - clientX, last.current.y - clientY);
      last.current = { x: clientX, y: clientY };
    },
    onPointerUp: () => {
      last.current = null;
    },
  };
}
