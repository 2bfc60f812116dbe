/** Shows the fields beside the results, as a column or a narrow rail; without room for either, as a sheet. */
import type { ReactNode } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Dialog, DialogBody } from '../../../ui/dialogs/Dialog.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Facets } from './Facets.tsx';
import type { FacetsProps } from './facetsProps.ts';
import type { FacetsShown } from './facetsShown.ts';

const layouts: Readonly<Record<FacetsShown['place'], string>> = {
  column: 'lg:grid-cols-[14.5rem_minmax(0,1fr)] lg:items-start',
  rail: 'lg:grid-cols-[2.5rem_minmax(0,1fr)]',
  sheet: '',
  behind: '',
};

type PlacedProps = FacetsProps & { shown: FacetsShown };

export function FacetsLayout({ children, ...facets }: PlacedProps & { children: ReactNode }) {
  return (
    <div
      className={`grid grid-cols-[minmax(0,1fr)] gap-3.5 lg:min-h-0 lg:flex-1 lg:grid-rows-[minmax(0,1fr)] ${layouts[facets.shown.place]}`}
    >
      <FacetsPanel {...facets} />
      {children}
    </div>
  );
}

function FacetsPanel({ shown, ...rest }: PlacedProps) {
  const { place, toggle } = shown;
  if (place === 'behind') return null;
  if (place === 'sheet') {
    return (
      <Dialog title="Fields" about="Click a value to filter by it." open onClose={toggle}>
        <DialogBody>
          <div className="-mx-3">
            <Facets {...rest} />
          </div>
        </DialogBody>
      </Dialog>
    );
  }
  if (place === 'rail') {
    return (
      <button
        type="button"
        aria-label="Show fields"
        aria-expanded={false}
        title="Fields and their values (f)"
        onClick={toggle}
        className="flex h-full flex-col items-center gap-3 rounded-xl border border-line bg-panel py-3 text-muted shadow-panel hover:border-edge hover:text-ink"
      >
        <Icon name="funnel" />
        <span aria-hidden="true" className="engraved [writing-mode:vertical-rl]">
          Fields
        </span>
      </button>
    );
  }
  return (
    <section
      aria-label="Fields"
      className="flex max-h-full flex-col overflow-hidden rounded-xl border border-line bg-panel shadow-panel"
    >
      <div className="flex items-center justify-between pt-1 pr-1 pl-3">
        <h2 className="text-sm font-medium">Fields</h2>
        <Button
          look="quiet"
          size="icon"
          aria-label="Hide fields"
          aria-expanded={true}
          title="Hide (f)"
          onClick={toggle}
        >
          <Icon name="left" />
        </Button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Facets {...rest} />
      </div>
    </section>
  );
}

/** Shown in narrow windows. */
export function FacetsButton({ shown }: { shown: FacetsShown }) {
  if (shown.place !== 'behind' && shown.place !== 'sheet') return null;
  return (
    <Button size="small" aria-haspopup="dialog" onClick={shown.toggle}>
      <Icon name="funnel" />
      <span className="phone:sr-only">Fields</span>
    </Button>
  );
}
