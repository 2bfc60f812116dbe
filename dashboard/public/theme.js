/** Applies the chosen theme before the first paint; a file of its own because inline scripts are not allowed. */
(() => {
  try {
    const theme = localStorage.getItem('tapedeck.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme holds then.
  }
})();
