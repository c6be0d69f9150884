/**
 * Before the page: the appearance that was chosen, then what index.html shows by itself, and only when that is painted the page.
 * Neither a module nor bundled, so that nothing is waited for.
 */
try {
  const chosen = localStorage.getItem('sotto.appearance');
  if (chosen !== null) document.documentElement.dataset.appearance = chosen;
} catch {
  // Then it is as the system's.
}

const painted = framePainted();
addEventListener('DOMContentLoaded', () => {
  void Promise.all([painted, ...pageStyles()]).then(startPage);
});

/** A page that nobody sees has no frames. */
function framePainted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve, 0));
    setTimeout(resolve, 150);
  });
}

/** What can't be had is not waited for. */
function pageStyles() {
  /** @type {NodeListOf<HTMLLinkElement>} */
  const links = document.querySelectorAll('link[rel="stylesheet"]');
  const coming = [...links].filter(({ sheet }) => sheet === null);
  return coming.map(
    (link) =>
      new Promise((resolve) => {
        link.addEventListener('load', resolve);
        link.addEventListener('error', resolve);
      }),
  );
}

function startPage() {
  const script = document.createElement('script');
  script.type = 'module';
  /** @type {HTMLLinkElement | null} */
  const page = document.querySelector('link[data-start]');
  if (page === null) throw new Error('the page was not built');
  script.src = page.href;
  document.head.append(script);
}
