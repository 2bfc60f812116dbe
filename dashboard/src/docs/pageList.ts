/** Opens the list of pages beside the text, and folds it above the text on a phone. */

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
