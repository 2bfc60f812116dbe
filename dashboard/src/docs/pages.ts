/** The list of pages is open where it stands beside the text, and folded above it on a phone. */

export function unfoldPages(): void {
  const list = document.querySelector<HTMLDetailsElement>('.contents');
  if (list === null) return;
  const beside = matchMedia('(width >= 56rem)');
  const fit = () => {
    list.open = beside.matches;
  };
  fit();
  beside.addEventListener('change', fit);
}
