/** The line drawings of the dashboard, on a grid of 16 by 16. */

const drawings = {
  overview: 'M2.5 6.5 8 2.5l5.5 4v7h-11zM6.5 13.5v-4h3v4',
  key: 'M9.2 6.8 13.5 2.5M11 5l1.8 1.8M9.8 9.3a3.3 3.3 0 1 1-6.6 0 3.3 3.3 0 0 1 6.6 0z',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.2-2.3 1.8-3.6 4.2-3.6s4 1.3 4.2 3.6M10.6 3.2a2.2 2.2 0 0 1 0 4.1M12 9.8c1.3.5 2.1 1.6 2.2 3.2',
  person: 'M8 7.8a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 13.6c.3-2.6 2.2-4 5.2-4s4.9 1.4 5.2 4',
  sliders: 'M4 2.5v4M4 10.5v3M2.5 8.5h3M8 2.5v1M8 7.5v6M6.5 5.5h3M12 2.5v6M12 12.5v1M10.5 10.5h3',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1L2.5 5.5M2.5 2.5v3h3M8 5v3.2l2.2 1.3',
  plus: 'M8 3v10M3 8h10',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  cross: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  upDown: 'm5 6 3-3 3 3M5 10l3 3 3-3',
  up: 'm4 10 4-4 4 4',
  down: 'm4 6 4 4 4-4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
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
