/** How this browser or window shows the page: remembered here, never sent to the service. */
import { host } from '../bridge/host.ts';
import { chooseLanguage, isLanguage, type Language } from '../text/catalogue.ts';
import { loadLanguage } from '../text/loaded.ts';
import { createStore } from './store.ts';

export const appearances = ['auto', 'light', 'dark'] as const;
export type Appearance = (typeof appearances)[number];

const said = host.remembered('appearance');
export const appearance = createStore<Appearance>(
  appearances.find((known) => known === said) ?? 'auto',
);

const spoken = host.remembered('language');
export const language = createStore<Language>(
  isLanguage(spoken) ? spoken : chooseLanguage(host.languages()),
);

export function setAppearance(wanted: Appearance): void {
  host.remember('appearance', wanted === 'auto' ? null : wanted);
  appearance.set(wanted);
}

let wantedLast = language.get();

/** Where its script can't be had, because the page's server is gone, the page stays as it is; the frame says that. */
export async function setLanguage(wanted: Language): Promise<void> {
  wantedLast = wanted;
  const isLoaded = await loadLanguage(wanted).then(
    () => true,
    () => false,
  );
  if (!isLoaded || wantedLast !== wanted) return;
  host.remember('language', wanted);
  language.set(wanted);
}
