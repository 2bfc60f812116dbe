/** A still of a video. On hover it plays a few others, which it loads only then. */
import { type ReactNode, useState } from 'react';

type VideoPreviewProps = { address: string; className: string; children: ReactNode };

export function VideoPreview({ address, className, children }: VideoPreviewProps) {
  const [isHovered, setHovered] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  return (
    <span
      className={`relative block overflow-hidden ${className}`}
      onPointerEnter={event => setHovered(event.pointerType === 'mouse')}
      onPointerLeave={() => {
        setHovered(false);
        setLoaded(false);
      }}
    >
      {children}
      {isHovered && (
        <img
          src={address}
          alt=""
          draggable={false}
          data-strip
          onLoad={() => setLoaded(true)}
          onError={() => setHovered(false)}
          className={`absolute inset-y-0 left-0 h-full w-[400%] max-w-none animate-strip bg-well object-contain ${isLoaded ? '' : 'opacity-0'}`}
        />
      )}
    </span>
  );
}
