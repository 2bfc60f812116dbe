/** Buttons in five weights. A busy button keeps its width and ignores clicks. */
import type { ComponentProps } from 'react';

const looks = {
  primary: 'bg-ink text-on-ink hover:bg-ink/85 border-transparent',
  plain: 'bg-panel border-line hover:border-edge shadow-panel',
  quiet: 'border-transparent text-muted hover:text-ink hover:bg-ink/6',
  risky: 'border-transparent text-danger hover:bg-danger/8',
  danger: 'bg-danger-fill text-white border-transparent hover:bg-danger-fill/88',
} as const;
const sizes = { normal: 'h-9 px-3.5 text-sm', small: 'h-8 px-2.5 text-[0.82rem]', icon: 'size-8' } as const;

type Look = { look?: keyof typeof looks; size?: keyof typeof sizes };

/** Returns the classes, for links that look like buttons. */
export function styleButton({ look = 'plain', size = 'normal' }: Look = {}): string {
  return `inline-flex items-center justify-center gap-2 rounded-lg border font-medium whitespace-nowrap
    transition-colors select-none disabled:opacity-45 disabled:pointer-events-none ${looks[look]} ${sizes[size]}`;
}

type ButtonProps = Look & { busy?: boolean } & Omit<ComponentProps<'button'>, 'style'>;

export function Button({
  look,
  size,
  busy = false,
  className = '',
  disabled,
  children,
  ...rest
}: ButtonProps) {
  const style = styleButton({ ...(look && { look }), ...(size && { size }) });
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={`${style} ${className}`}
    >
      {children}
    </button>
  );
}
