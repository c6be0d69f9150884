/** How this browser or window shows the page: remembered here, never sent to the service. */
import { host } from '../bridge/host.ts';
import { chooseLanguage, isLanguage, type Language } from '../text/catalogue.ts';
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

export function setLanguage(wanted: Language): void {
  host.remember('language', wanted);
  language.set(wanted);
}
