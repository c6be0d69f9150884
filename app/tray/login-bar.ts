/** The bar above a login page. Sotto draws it, without script; the page below belongs to the network. Pure. */
import type { TrayWords } from './text/words.ts';

export const barHeight = 92;

/** Its buttons are links to these addresses, so that the window can tell them apart. */
const places = {
  through: 'https://login.invalid/through',
  again: 'https://login.invalid/again',
  close: 'https://login.invalid/close',
};
export type BarAction = keyof typeof places;

/** What the bar shows; the site's name comes from outside. */
export interface BarState {
  site: string;
  time: string;
  said: string;
}

export function barPage({ login: words }: TrayWords, language: string): string {
  const buttons = (Object.keys(places) as BarAction[]).map(
    (action) =>
      `<form action="${places[action]}"><button id="${action}">${words[action]}</button></form>`,
  );
  const page = `<!doctype html><html lang="${language}"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; form-action https://login.invalid">
<title>${words.title}</title><style>${style}</style>
<header><p aria-live="polite"><bdi id="site"></bdi></p><nav>${buttons.join('')}</nav></header>
<p><span id="time" role="timer"></span><span id="said" role="status"></span></p></html>`;
  return `data:text/html;charset=utf-8,${encodeURIComponent(page)}`;
}

export function barAction(url: string): BarAction | null {
  const action = (Object.keys(places) as BarAction[]).find((one) => url.startsWith(places[one]));
  return action ?? null;
}

/** Code that draws the state; its words stay text, whatever they contain. */
export function drawBar(state: BarState): string {
  return `for (const [id, text] of Object.entries(${JSON.stringify(state)})) {
    const place = document.getElementById(id);
    if (place !== null && place.textContent !== text) place.textContent = text;
  }`;
}

/** Of a site too long for the bar the end is shown, which says to whom it belongs. */
const style = `
:root { color-scheme: light dark; --line: #8a8a93; --quiet: #52525b; --focus: #1d4ed8 }
@media (prefers-color-scheme: dark) { :root { --line: #71717a; --quiet: #a1a1aa; --focus: #93c5fd } }
* { box-sizing: border-box; margin: 0 }
html { height: 100%; overflow: hidden; font: 14px/20px system-ui, sans-serif; font-variant-numeric: tabular-nums }
body { height: 100%; display: flex; flex-direction: column; justify-content: center; gap: 2px; padding: 0 16px; border-bottom: 1px solid var(--line) }
header { display: flex; gap: 16px; align-items: center; height: 36px }
header p { flex: 1; min-width: 0; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; direction: rtl; text-align: left }
body > p { max-height: 40px; overflow: hidden; color: var(--quiet) }
#said:not(:empty)::before { content: ' · ' }
nav { display: flex; gap: 8px }
button { font: inherit; white-space: nowrap; padding: 6px 12px; border: 1px solid var(--line); border-radius: 8px; background: none; color: inherit }
button:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px }
#through { font-weight: 600 }
`.replaceAll('\n', ' ');
