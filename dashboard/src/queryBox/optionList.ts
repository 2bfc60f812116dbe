/** The list below a box: its options, whether it is open, and the active option. */
import { useState } from 'react';
import type { Group, Option } from './options.ts';

export function useList(groups: readonly Group[]) {
  const [isWanted, setWanted] = useState(false);
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const options = groups.flatMap(group => group.options);
  const isOpen = isWanted && options.length > 0;
  return {
    groups,
    options,
    isOpen,
    active: isOpen ? (options.find(({ key }) => key === activeKey) ?? null) : null,
    show: (active: Option | null | undefined) => {
      setWanted(true);
      setActiveKey(active?.key ?? null);
    },
    close: () => {
      setWanted(false);
      setActiveKey(null);
    },
  };
}
