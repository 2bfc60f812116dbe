/** A text of any length in a small space. A long one scrolls, by keyboard too. */
import type { ReactNode } from 'react';

type LongTextProps = {
  as: 'dd' | 'pre';
  text: string;
  className: string;
  /** Replaces the plain text. */
  children?: ReactNode;
};

const shortLettersMax = 100; // fits the narrowest column
const shortLinesMax = 6;

export function LongText({ as: Element, text, className, children = text }: LongTextProps) {
  const isLong = text.length > shortLettersMax || text.split('\n').length > shortLinesMax;
  return (
    <Element
      className={`max-h-40 overflow-auto whitespace-pre-wrap wrap-anywhere ${className}`}
      {...(isLong && { tabIndex: 0 })}
    >
      {children}
    </Element>
  );
}
