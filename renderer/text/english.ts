/** Everything English that only the page says, in one script, which is loaded where English is spoken (loaded.ts). */
import { saidSettings } from './en/said-settings.ts';
import { en } from './en.ts';

export const english = { text: en, saidSettings };
