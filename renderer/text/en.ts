/** Every English string of the page, part by part: a page has its own. */
import { frame } from './en/frame.ts';
import { status } from './en/status.ts';

export const en = { frame, status } as const;
