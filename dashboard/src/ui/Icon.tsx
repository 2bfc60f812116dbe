/** The dashboard's icons, line drawings on a 16×16 grid. */

const drawings = {
  overview: 'M2.5 6.5 8 2.5l5.5 4v7h-11zM6.5 13.5v-4h3v4',
  key: 'M9.2 6.8 13.5 2.5M11 5l1.8 1.8M9.8 9.3a3.3 3.3 0 1 1-6.6 0 3.3 3.3 0 0 1 6.6 0z',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.2-2.3 1.8-3.6 4.2-3.6s4 1.3 4.2 3.6M10.6 3.2a2.2 2.2 0 0 1 0 4.1M12 9.8c1.3.5 2.1 1.6 2.2 3.2',
  person: 'M8 7.8a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 13.6c.3-2.6 2.2-4 5.2-4s4.9 1.4 5.2 4',
  sliders: 'M4 2.5v4M4 10.5v3M2.5 8.5h3M8 2.5v1M8 7.5v6M6.5 5.5h3M12 2.5v6M12 12.5v1M10.5 10.5h3',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1L2.5 5.5M2.5 2.5v3h3M8 5v3.2l2.2 1.3',
  lines: 'M2.5 4h2M6.5 4h7M2.5 8h2M6.5 8h5M2.5 12h2M6.5 12h7',
  picture: 'M2.5 3h11v10h-11zM2.5 11l3.4-3.4 2.6 2.6 2-2 3 3M10.8 5.8h.01',
  film: 'M2.5 3h11v10h-11zM6.8 6.2v3.6L9.8 8z',
  sound: 'M3 6.5v3M5.5 4.5v7M8 2.8v10.4M10.5 5v6M13 6.5v3',
  drawers: 'M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.8h11M7.2 4.4h1.6M7.2 8h1.6M7.2 11.7h1.6',
  pulse: 'M1.8 8h3l1.7-4.5 3 9L11.2 8h3',
  bell: 'M4 10.8V7a4 4 0 0 1 8 0v3.8l1.2 1.4H2.8zM6.7 14h2.6M8 3V2',
  mute: 'M4 10.8V7a4 4 0 0 1 .6-2.1M7 3.1A4 4 0 0 1 12 7v2M6.7 14h2.6M2.5 2.5l11 11M2.8 12.2h8.4',
  plug: 'M5.5 2.5v3M10.5 2.5v3M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2',
  minus: 'M3.5 8h9',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  play: 'M5 3.2v9.6L12.5 8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  again: 'M13.2 6.2A5.5 5.5 0 1 0 13.5 8.6M13.5 2.8v3.5H10',
  upload: 'M8 10.5V2.8M5 5.5l3-3 3 3M2.5 10v3.5h11V10',
  download: 'M8 2.5v7.7M5 7.5l3 3 3-3M2.5 10v3.5h11V10',
  bookmark: 'M4 2.5h8v11l-4-3-4 3z',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9a2.6 2.6 0 0 0 3.7 3.7l.9-.9',
  bin: 'M3 4.5h10M6.2 4.5V2.8h3.6v1.7M4.3 4.5l.6 8.7h6.2l.6-8.7M6.8 7v3.6M9.2 7v3.6',
  squares: 'M2.5 2.5h4.4v4.4H2.5zM9.1 2.5h4.4v4.4H9.1zM2.5 9.1h4.4v4.4H2.5zM9.1 9.1h4.4v4.4H9.1z',
  out: 'M6.5 3h-4v10.5h10.5v-4M9.5 2.5h4v4M13.2 2.8 7.5 8.5',
  left: 'm10 4-4 4 4 4',
  right: 'm6 4 4 4-4 4',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  folder: 'M2.5 4h4l1.4 1.7h5.6V13h-11z',
  funnel: 'M2.5 3h11L9.4 8v4.8L6.6 11V8z',
  pencil: 'M3 13l.6-2.9L10.7 3 13 5.3l-7.1 7.1z',
  plus: 'M8 3v10M3 8h10',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  cross: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  upDown: 'm5 6 3-3 3 3M5 10l3 3 3-3',
  up: 'm4 10 4-4 4 4',
  down: 'm4 6 4 4 4-4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  storage: 'M2.5 2.5h11v11h-11zM8.5 2.5v11M8.5 7h5M11 7v6.5',
  bars: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  leave: 'M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1',
  moon: 'M13 9.4A5.5 5.5 0 0 1 6.6 3a5.5 5.5 0 1 0 6.4 6.4z',
  screen: 'M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3h.01',
  book: 'M3 3.2c1.8-.6 3.5-.4 5 .6 1.5-1 3.2-1.2 5-.6v9.6c-1.8-.6-3.5-.4-5 .6-1.5-1-3.2-1.2-5-.6zM8 3.8v9.6',
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={`size-4 shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
